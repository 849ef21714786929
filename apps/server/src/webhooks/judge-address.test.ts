import { isIP } from 'node:net';
import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { describe, expect, it } from 'vitest';
import { judgeAddresses, parseWebhookUrl } from './post-message.ts';

function judge(text: string, resolved: string[] = []) {
  const parsed = parseWebhookUrl(text);
  if (!parsed.ok) return parsed.why.reason;
  const addresses = isIP(hostOfUrl(parsed.url)) ? [hostOfUrl(parsed.url)] : resolved;
  const list = addresses.map((address) => ({ address, family: isIP(address) }));
  return judgeAddresses(parsed.url, list)?.reason ?? null;
}

describe('an address is accepted', () => {
  it.each([
    ['https://example.org/hook', ['93.184.215.14']],
    ['https://example.org/hook', []],
    ['https://192.168.1.7/hook', []],
    ['http://127.0.0.1:9/hook', []],
    ['http://[::1]:9/hook', []],
    ['http://localhost/hook', ['127.0.0.1', '::1']],
    ['http://lab.home.arpa/hook', ['10.1.2.3', 'fd12::7']],
    ['http://172.31.255.1/', []],
  ])('%s %j', (text, resolved) => {
    expect(judge(text, resolved)).toBeNull();
  });
});

describe('an address is refused', () => {
  it.each([
    ['https://169.254.169.254/latest/meta-data', [], /link-local or metadata/],
    ['http://169.254.169.254/', [], /link-local or metadata/],
    // The same in decimal, octal and as IPv6.
    ['http://2852039166/', [], /link-local or metadata/],
    ['http://0251.0376.0251.0376/', [], /link-local or metadata/],
    ['http://[::ffff:169.254.169.254]/', [], /link-local or metadata/],
    ['https://[64:ff9b::a9fe:a9fe]/', [], /link-local or metadata/],
    ['https://[fe80::1]/', [], /link-local or metadata/],
    ['https://[febf::1]/', [], /link-local or metadata/],
    ['https://[fd00:ec2::254]/', [], /link-local or metadata/],
    [
      'https://metadata.example/',
      ['169.254.169.254'],
      /metadata.example \(169.254.169.254\) is a link-local/,
    ],
    ['https://both.example/', ['93.184.215.14', 'fe80::1%eth0'], /link-local or metadata/],
    ['http://0.0.0.0/', [], /not the address of a single machine/],
    ['https://[::]/', [], /not the address of a single machine/],
    ['https://224.0.0.1/', [], /not the address of a single machine/],
    ['http://93.184.215.14/', [], /private network; http is allowed/],
    ['http://example.org/', ['93.184.215.14'], /private network; http is allowed/],
    ['http://half.example/', ['10.0.0.1', '93.184.215.14'], /private network; http is allowed/],
    ['http://172.32.0.1/', [], /private network; http is allowed/],
    ['ftp://example.org/', [], /not a web address/],
    ['example.org/hook', [], /not a web address/],
    ['https://', [], /not a web address/],
    ['https://me:secret@example.org/', [], /user name or password/],
  ])('%s %j', (text, resolved, reason) => {
    expect(judge(text, resolved)).toMatch(reason);
  });
});
