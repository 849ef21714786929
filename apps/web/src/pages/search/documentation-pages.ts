// Generated from docs/ by `npm run reference`.
// biome-ignore-all format: generated
/** Pages below /docs/, with their second-level headings. */
export const documentationPages: readonly { path: string; title: string; headings: readonly string[] }[] = [
  {
    path: 'index.html',
    title: 'mqttlab documentation',
    headings: ['Tutorial', 'How to', 'Reference', 'Explanation', 'Contributing'],
  },
  {
    path: 'architecture.html',
    title: 'Architecture',
    headings: ['Evidence flows one way', 'A plan to a comparison', 'How the server is put together', 'A device being added', 'A request being let in', 'A share link being opened', 'Where state lives, and what survives a kill', 'Questions newcomers ask'],
  },
  {
    path: 'explanation/inference.html',
    title: 'What can be concluded',
    headings: ['Runs, not messages', 'Blocks', 'What a sentence claims', 'Flagged runs', 'What it is true of', 'How values are averaged and compared'],
  },
  {
    path: 'explanation/measuring.html',
    title: 'How latency and load are measured',
    headings: ['Open loop', 'What is in a latency', 'One process for each part', 'Pinned, then checked', 'With and without AES instructions', 'Real network impairment', 'Throughput', 'MQTT next to CoAP', 'Attacks target only mqttlab\'s own broker', 'The same result everywhere', 'A result that surprises'],
  },
  {
    path: 'explanation/tls-can-be-faster.html',
    title: 'Why TLS can come out faster',
    headings: [],
  },
  {
    path: 'glossary.html',
    title: 'Glossary',
    headings: ['Experiments', 'Measuring', 'Comparing', 'Machines and sharing', 'In code'],
  },
  {
    path: 'how-to/accounts.html',
    title: 'Set up accounts and HTTPS',
    headings: ['The first administrator', 'HTTPS'],
  },
  {
    path: 'how-to/captures.html',
    title: 'Keep packets with a run',
    headings: ['What is held against it', 'What is good to know'],
  },
  {
    path: 'how-to/command-line.html',
    title: 'Use the command line',
    headings: ['Complete commands and options'],
  },
  {
    path: 'how-to/continuous-integration.html',
    title: 'Check thresholds in CI',
    headings: ['A first gate', 'Outcomes', 'Options for pipelines', 'What to limit first'],
  },
  {
    path: 'how-to/esp32.html',
    title: 'Measure an ESP32, or another device without an agent',
    headings: ['Set it up', 'What is measured', 'As the subscriber', 'Encrypt payloads', 'Write a program of your own'],
  },
  {
    path: 'how-to/impairment.html',
    title: 'Add packet loss, delay or a rate limit',
    headings: [],
  },
  {
    path: 'how-to/keeping-data.html',
    title: 'Back up, restore, and keep the disk in bounds',
    headings: ['Back up and restore', 'Remove old series and logs', 'A budget of the disk', 'Ask for help'],
  },
  {
    path: 'how-to/meters.html',
    title: 'Measure energy with a meter',
    headings: ['A meter that writes a file'],
  },
  {
    path: 'how-to/plan-files.html',
    title: 'Write a plan file',
    headings: [],
  },
  {
    path: 'how-to/pools.html',
    title: 'Many agents: pools, Kubernetes, Prometheus',
    headings: ['Kubernetes', 'Prometheus and Grafana'],
  },
  {
    path: 'how-to/raspberry-pis.html',
    title: 'Three Raspberry Pis, step by step',
    headings: ['All at once, or without the page', 'Energy', 'What is put on a device', 'When something is wrong', 'Without Raspberry Pis'],
  },
  {
    path: 'how-to/sharing.html',
    title: 'Share results',
    headings: [],
  },
  {
    path: 'how-to/studies.html',
    title: 'Run a published study',
    headings: ['Your own studies', 'What each client can do'],
  },
  {
    path: 'reference/api.html',
    title: 'API',
    headings: [],
  },
  {
    path: 'reference/command-line.html',
    title: 'Command line',
    headings: ['Common options', 'Exit codes', 'run', 'plan', 'preflight', 'watch', 'list', 'show', 'compare', 'export', 'import', 'device', 'testbed', 'enrol', 'meter', 'study', 'clients', 'webhook', 'user', 'storage', 'support', 'tls', 'demo', 'backup', 'restore', 'token', 'completion'],
  },
  {
    path: 'reference/factors.html',
    title: 'Factors',
    headings: ['Security of the connection', 'Security inside the message', 'Messages', 'Load', 'Network', 'Programs'],
  },
  {
    path: 'reference/file-formats.html',
    title: 'File formats',
    headings: ['Plan and study', 'Tables', 'Research bundle', 'Power meter', 'Summary for pipelines', 'External device'],
  },
  {
    path: 'reference/live-events.html',
    title: 'Live events',
    headings: ['snapshot', 'experiment', 'run', 'phase', 'progress', 'log', 'testbed', 'storage'],
  },
  {
    path: 'reference/metrics.html',
    title: 'Metrics',
    headings: ['Latency', 'Connection set-up', 'Traffic', 'Delivery', 'Payload', 'CPU', 'Memory', 'Energy', 'Device', 'Load generator'],
  },
  {
    path: 'reference/settings.html',
    title: 'Settings',
    headings: [],
  },
  {
    path: 'reference/statistics.html',
    title: 'Statistics',
    headings: ['Estimates', 'Resolution', 'Contrasts', 'Smallest detectable difference', 'Within a run', 'Stopping early'],
  },
  {
    path: 'reference/verdicts.html',
    title: 'Verdicts',
    headings: [],
  },
  {
    path: 'security.html',
    title: 'Security',
    headings: ['Assets', 'Actors', 'Trust boundaries', 'What is defended', 'What is not defended', 'Responsible use', 'OWASP ASVS 5.0'],
  },
  {
    path: 'tutorial.html',
    title: 'The first experiment',
    headings: ['1. Start', '2. Run the tour', '3. Read the answer', '4. Your own experiment', '5. Look again, save, share', 'Next steps'],
  },
];
