import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'mqttlab-page-'));
const html = `<!doctype html><title>mqttlab</title>${'<p>page</p>'.repeat(300)}`;
const script = 'console.log("x");\n'.repeat(300);
let rig: ApiRig;

beforeAll(async () => {
  mkdirSync(join(folder, 'dist', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'dist', 'index.html'), html);
  writeFileSync(join(folder, 'dist', 'mark.svg'), '<svg/>');
  mkdirSync(join(folder, 'dist', 'docs', 'how-to'), { recursive: true });
  writeFileSync(join(folder, 'dist', 'docs', 'index.html'), 'documentation');
  writeFileSync(join(folder, 'dist', 'assets', 'index-abc123.js'), script);
  rig = await startApiRig({
    pageFolder: join(folder, 'dist'),
    loginRequired: true,
    adminToken: 'x'.repeat(20),
  });
});
afterAll(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true });
});

const asHtml = { headers: { accept: 'text/html,*/*' } };

describe('the page', () => {
  it('is served without a login, for every address of the application', async () => {
    for (const path of [
      '/',
      '/experiments',
      '/experiments/12/edit/factors',
      '/s/abc',
      '/compare?experiments=1',
    ]) {
      const { status, text, headers } = await rig.call(path, asHtml);
      expect([status, text], path).toEqual([200, html]);
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
  });

  it('serves the documentation below it, with a separate index', async () => {
    for (const path of ['/docs', '/docs/', '/docs/index.html']) {
      expect((await rig.call(path, asHtml)).text, path).toBe('documentation');
    }
    expect((await rig.call('/docs/how-to', asHtml)).text).toBe(html);
    expect((await rig.call('/docs/none.html', asHtml)).status).toBe(404);
  });

  it('caches hashed assets permanently and compresses them', async () => {
    const { headers, text } = await rig.call('/assets/index-abc123.js', {
      headers: { 'accept-encoding': 'br' },
    });
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('br');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(text).toBe(script);
    const etag = headers.get('etag') ?? '';
    const again = await rig.call('/assets/index-abc123.js', { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await rig.call('/assets/index-abc123.js', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('returns 404 for missing files, and serves nothing outside its folder', async () => {
    for (const path of [
      '/assets/missing.js',
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/%00.html',
      '/%ff.js',
    ]) {
      const { status, text } = await rig.call(path, asHtml);
      expect(status, path).toBe(404);
      expect(text).not.toContain('secret\n');
      expect(text).not.toBe('secret');
    }
    expect((await rig.call('/experiments', { method: 'POST', ...asHtml })).status).toBe(404);
    expect((await rig.call('/api/nothing', asHtml)).headers.get('content-type')).toMatch(/problem/);
  });
});
