// Generated from docs/ by `npm run reference`.
// biome-ignore-all format: generated
/** Pages below /docs/, with their second-level headings. */
export const documentationPages: readonly { path: string; title: string; headings: readonly string[] }[] = [
  {
    path: 'index.html',
    title: 'mqttlab documentation',
    headings: ['Tutorial', 'Set up', 'Measure', 'Share and automate', 'Reference', 'Explanation', 'Contributing'],
  },
  {
    path: 'architecture.html',
    title: 'Architecture',
    headings: ['Evidence flows one way', 'How a run flows', 'Server folders', 'State and crash recovery', 'What a change touches', 'Examples of a change', 'Questions newcomers ask'],
  },
  {
    path: 'decisions/holm.html',
    title: 'Decision: adjust p-values with Holm\'s method',
    headings: ['Context', 'Decision', 'Consequences'],
  },
  {
    path: 'decisions/log-scale.html',
    title: 'Decision: compare positive quantities on the log scale',
    headings: ['Context', 'Decision', 'Consequences'],
  },
  {
    path: 'decisions/node.html',
    title: 'Decision: use Node for server, agent and load',
    headings: ['Context', 'Decision', 'Consequences'],
  },
  {
    path: 'explanation/comparison.html',
    title: 'mqttlab compared with other tools',
    headings: ['Load and figures', 'Design and decision', 'What mqttlab does not do', 'Sources'],
  },
  {
    path: 'explanation/inference.html',
    title: 'What can be concluded',
    headings: ['Runs, not messages', 'Blocks', 'What a sentence claims', 'Flagged runs', 'Scope of a result', 'How values are averaged and compared'],
  },
  {
    path: 'explanation/measuring.html',
    title: 'How latency and load are measured',
    headings: ['Open loop', 'What a latency includes', 'One process for each part', 'Pinned, then checked', 'With and without AES instructions', 'Real network impairment', 'Throughput', 'MQTT compared with CoAP', 'Attacks target only mqttlab\'s own broker', 'The same result everywhere', 'A surprising result'],
  },
  {
    path: 'explanation/method.html',
    title: 'The method in two pages',
    headings: ['Design', 'Procedure of a run', 'Quantities', 'Validity', 'Analysis', 'Limits', 'Report'],
  },
  {
    path: 'explanation/tls-can-be-faster.html',
    title: 'Why TLS can be faster',
    headings: [],
  },
  {
    path: 'glossary.html',
    title: 'Glossary',
    headings: ['Experiments', 'Measuring', 'Comparing', 'Machines and sharing', 'Preferred terms', 'In code'],
  },
  {
    path: 'how-to/accounts.html',
    title: 'Set up accounts and HTTPS',
    headings: ['The first administrator', 'Import the CA certificate', 'HTTPS'],
  },
  {
    path: 'how-to/analyse-bundle.html',
    title: 'Open a bundle in Python or R',
    headings: ['Compute the intervals of a report', 'Check a bundle'],
  },
  {
    path: 'how-to/captures.html',
    title: 'Capture the packets of a run',
    headings: ['What the capture verifies', 'Limits'],
  },
  {
    path: 'how-to/command-line.html',
    title: 'Use the command line',
    headings: ['Complete commands and options'],
  },
  {
    path: 'how-to/continuous-integration.html',
    title: 'Check thresholds in CI',
    headings: ['A first gate', 'Outcomes', 'Options for pipelines', 'From another repository', 'What to limit first'],
  },
  {
    path: 'how-to/drive-the-page.html',
    title: 'Automate the web interface with Playwright',
    headings: ['Set up', 'Log in', 'Write stable tests'],
  },
  {
    path: 'how-to/esp32.html',
    title: 'Measure an ESP32, or another device without an agent',
    headings: ['Set it up', 'Measured values', 'As the subscriber', 'Encrypt payloads', 'Write your own program'],
  },
  {
    path: 'how-to/impairment.html',
    title: 'Add packet loss, delay or a rate limit',
    headings: [],
  },
  {
    path: 'how-to/import-foreign.html',
    title: 'Import results from other tools',
    headings: ['A CSV file from your own script', 'Output from mqtt-benchmark and emqtt-bench', 'Over the API'],
  },
  {
    path: 'how-to/install-server.html',
    title: 'Install a server',
    headings: ['Sizing', 'Install the package', 'systemd', 'Docker', 'Kubernetes', 'Reverse proxy', 'Upgrade', 'Check the server'],
  },
  {
    path: 'how-to/keeping-data.html',
    title: 'Back up, restore and limit disk use',
    headings: ['Back up and restore', 'Remove old series and logs', 'Set a disk budget', 'Ask for help'],
  },
  {
    path: 'how-to/measure-your-broker.html',
    title: 'Measure your own broker',
    headings: ['In the web interface', 'In a plan', 'From a script', 'What differs from mqttlab\'s own broker'],
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
    title: 'Generate load from many agents',
    headings: ['Kubernetes', 'Prometheus and Grafana'],
  },
  {
    path: 'how-to/prepare-pis.html',
    title: 'Prepare Raspberry Pis',
    headings: ['Buy and connect', 'Fix the clock rate', 'Remove other load', 'Synchronise the clocks', 'Install Mosquitto', 'Open the firewall', 'Check before the first experiment'],
  },
  {
    path: 'how-to/raspberry-pis.html',
    title: 'Measure on Raspberry Pis',
    headings: ['Add all devices at once', 'Energy', 'What the installation adds to a device', 'If the installation fails', 'Without Raspberry Pis'],
  },
  {
    path: 'how-to/sharing.html',
    title: 'Share results',
    headings: ['Author and licence', 'Signature and packets'],
  },
  {
    path: 'how-to/studies.html',
    title: 'Run a study and read its board',
    headings: ['Read the board of claims', 'Your own studies', 'What each client can do'],
  },
  {
    path: 'how-to/troubleshooting.html',
    title: 'Troubleshooting',
    headings: ['The server', 'Devices', 'Runs', 'Results'],
  },
  {
    path: 'how-to/webhooks.html',
    title: 'Receive webhooks',
    headings: ['Add a webhook', 'The message', 'Verify the signature', 'Delivery'],
  },
  {
    path: 'reference/api.html',
    title: 'API',
    headings: [],
  },
  {
    path: 'reference/command-line.html',
    title: 'Command line',
    headings: ['Common options', 'Exit codes', 'run', 'plan', 'preflight', 'watch', 'list', 'show', 'compare', 'export', 'import', 'import-csv', 'device', 'testbed', 'enrol', 'meter', 'study', 'clients', 'webhook', 'user', 'storage', 'support', 'tls', 'demo', 'start', 'backup', 'restore', 'token', 'completion'],
  },
  {
    path: 'reference/compatibility.html',
    title: 'Compatibility and upgrades',
    headings: ['Versions of this mqttlab', 'What works with what', 'API', 'Plans and studies', 'Research bundles', 'Server and agents', 'Definitions of metrics and verdicts', 'Supported systems', 'Upgrade'],
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
    path: 'reference/tested-commands.html',
    title: 'Tested commands',
    headings: [],
  },
  {
    path: 'reference/verdicts.html',
    title: 'Verdicts',
    headings: [],
  },
  {
    path: 'security.html',
    title: 'Security model and responsible use',
    headings: ['Assets', 'Actors', 'Trust boundaries', 'What is defended', 'What is not defended', 'Responsible use', 'OWASP ASVS 5.0'],
  },
  {
    path: 'tutorial-pis.html',
    title: 'Three Raspberry Pis',
    headings: ['1. Prepare the devices', '2. Add the devices', '3. Check the testbed', '4. Measure', '5. Compare', '6. Remove the devices'],
  },
  {
    path: 'tutorial.html',
    title: 'The first experiment',
    headings: ['1. Start', '2. Run the tour', '3. Read the result', '4. Run your own experiment', '5. Show, export and share', 'Next steps'],
  },
];
