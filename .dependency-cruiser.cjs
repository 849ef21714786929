/** Import boundaries of the architecture; `npm run check` enforces them. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: `^${from}/src`, pathNot: '\\.test\\.tsx?$|/testing/' },
  to: { path: '^(packages|apps|e2e)/', pathNot: `^(${[from, ...allowed].join('|')})(/|$)` },
});

const libraries = ['packages/shared', 'packages/charts', 'packages/studies'];

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: { pathNot: '\\.test\\.tsx?$|/(testing|golden|simulation)/' },
      // Types included.
      to: { circular: true },
    },
    only('shared-imports-nothing-of-ours', 'packages/shared', []),
    only('agent-imports-shared', 'packages/agent', ['packages/shared']),
    only('charts-import-shared', 'packages/charts', ['packages/shared']),
    only('studies-import-shared-and-charts', 'packages/studies', ['packages/shared', 'packages/charts']),
    only('server-imports-the-libraries', 'apps/server', libraries),
    only('cli-imports-the-libraries-and-the-data-folder', 'apps/cli', [
      ...libraries,
      'apps/server/src/data-folder\\.ts',
    ]),
    only('web-imports-the-libraries', 'apps/web', libraries),
    {
      name: 'statistics-take-plain-numbers',
      severity: 'error',
      from: { path: '^packages/shared/src/statistics', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/shared/src/(?!statistics)' },
    },
    {
      name: 'domain-is-the-bottom',
      severity: 'error',
      from: { path: '^packages/shared/src/domain', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/shared/src/(catalogue|planning|messages)' },
    },
    {
      name: 'catalogue-below-planning',
      severity: 'error',
      from: { path: '^packages/shared/src/catalogue', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/shared/src/(planning|messages)' },
    },
    {
      name: 'shared-runs-in-the-browser',
      severity: 'error',
      from: {
        path: '^packages/(shared|charts|studies)/src',
        pathNot: '\\.test\\.ts$|/testing/|^packages/shared/src/kit/managed-child\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'kit-imports-nothing',
      severity: 'error',
      from: { path: '^packages/shared/src/kit', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/shared/src/(?!kit)' },
    },
    {
      name: 'child-processes-only-in-programs',
      severity: 'error',
      from: { path: '^(apps/web|packages/(shared|charts|studies))/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/shared/src/kit/managed-child\\.ts$' },
    },
    {
      name: 'store-is-the-bottom-of-the-server',
      severity: 'error',
      from: { path: '^apps/server/src/(store|base)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^apps/server/src/(?!store/|base/)' },
    },
    {
      name: 'results-below-runs',
      severity: 'error',
      from: { path: '^apps/server/src/(results|live)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^apps/server/src/(?!store/|base/|results/|live/)' },
    },
    {
      name: 'api-is-the-top-of-the-server',
      severity: 'error',
      from: { path: '^apps/server/src/(?!api/)\\w+/', pathNot: '\\.test\\.ts$|/testing/|/cli/' },
      to: { path: '^apps/server/src/api/' },
    },
    {
      name: 'load-process-is-only-load',
      severity: 'error',
      from: {
        path: '^packages/agent/src/(load|mqtt|tls|payload|clients|bridge|brokers|shaping|instruments|processes)/',
        pathNot: '\\.test\\.ts$|/testing/',
      },
      to: { path: '^packages/agent/src/(agent|agent-options|roles/.*|link/.*)\\.ts$' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
