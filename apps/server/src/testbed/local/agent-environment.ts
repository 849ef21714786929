/** What programs need to run, and what the agent reads: nothing else of the server's environment is its business. */
const passedOn = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'LANG',
  'LANGUAGE',
  'LD_LIBRARY_PATH',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'NODE_V8_COVERAGE',
  'MQTTLAB_REHEARSAL',
  'MQTTLAB_BROKERS',
  'MQTTLAB_METER',
  'MQTTLAB_SUPPLY_VOLTS',
  'MQTTLAB_PROC_ROOT',
  'MQTTLAB_SYS_ROOT',
]);

/** Pure. */
export function agentEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => passedOn.has(name) || name.startsWith('LC_')),
  );
}
