import { readFileSync } from 'node:fs';

/** Throws an Error that says how it should look. */
export function parseServerAddress(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^(http|ws)s?:$/.test(url.protocol)) {
    throw new Error(`"${text}" is no address of a server; it looks like http://192.168.1.5:4321`);
  }
  return url;
}

/**
 * Where the server is to be found now: whoever keeps a tunnel to this device writes a new port into the file each time
 * the tunnel is made. While the file cannot be read or is half written, what was known before holds.
 */
export function followServerFile(path: string, first: URL): () => URL {
  let known = first;
  return () => {
    try {
      known = parseServerAddress(readFileSync(path, 'utf8').trim());
    } catch {
      // Known before; the next attempt to dial looks again.
    }
    return known;
  };
}
