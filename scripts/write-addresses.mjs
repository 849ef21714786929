import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

/**
 * Returns the files that state the address of the repository, by path. The address is `repository.url` of package.json;
 * while it is empty, no file states one.
 *
 * @param {string} [address]
 * @returns {Record<string, string>}
 */
export function writeAddresses(address = readAddress()) {
  return {
    'README.md': withBadges(readText('README.md'), address),
    'CITATION.cff': withRepository(readText('CITATION.cff'), address),
  };
}

/** The address of the repository's page, such as "https://github.com/OWNER/mqttlab", or "" if it is not set. */
export function readAddress() {
  const { repository } = JSON.parse(readText('package.json'));
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** @param {string} path */
function readText(path) {
  return readFileSync(join(root, path), 'utf8');
}

/**
 * Badges of the workflow and of the newest release. Only GitHub serves them at these addresses.
 *
 * @param {string} text
 * @param {string} address
 */
function withBadges(text, address) {
  const workflow = `${address}/actions/workflows/ci.yaml`;
  const releases = `${address}/releases`;
  const name = address.replace('https://github.com/', '');
  const badges = address.startsWith('https://github.com/')
    ? `\n\n[![CI](${workflow}/badge.svg)](${workflow}) [![Release](https://img.shields.io/github/v/release/${name})](${releases})\n\n`
    : '';
  return text.replace(/<!-- badges -->[\s\S]*?<!-- \/badges -->/, `<!-- badges -->${badges}<!-- /badges -->`);
}

/**
 * @param {string} text
 * @param {string} address
 */
function withRepository(text, address) {
  const line = address === '' ? '' : `repository-code: ${address}\n`;
  return text.replace(/^repository-code: .*\n/m, '').replace(/^license: /m, `${line}license: `);
}
