// Runs before the first paint, so that a dark page never flashes white. A file of its own: no inline script.
(() => {
  const root = document.documentElement;
  let stored = null;
  try {
    stored = localStorage.getItem('mqttlab-colour-scheme');
  } catch {
    // Storage may be blocked: the system's choice applies.
  }
  const dark =
    stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
