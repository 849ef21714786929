import { expect, test } from 'vitest';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { parseRadio, RadioWatch } from './radio.ts';

/**
 * As a Raspberry Pi 4 prints it (brcmfmac, iw 5.19): the lines and their order follow link.c, interface.c and station.c
 * of iw; brcmfmac tells no retries of a station, so that they come from /proc/net/wireless (wireless.7).
 */
const link = `Connected to d8:07:b6:aa:bb:cc (on wlan0)
	SSID: lab
	freq: 5180
	RX: 36424013 bytes (114207 packets)
	TX: 9183612 bytes (42110 packets)
	signal: -52 dBm
	rx bitrate: 390.0 MBit/s
	tx bitrate: 433.3 MBit/s

	bss flags:	short-slot-time
	dtim period:	3
	beacon int:	100
`;
const info = `Interface wlan0
	ifindex 3
	wdev 0x1
	addr dc:a6:32:aa:bb:cc
	ssid lab
	type managed
	wiphy 0
	channel 36 (5180 MHz), width: 80 MHz, center1: 5210 MHz
	txpower 31.00 dBm
`;
const station = `Station d8:07:b6:aa:bb:cc (on wlan0)
	inactive time:	0 ms
	rx bytes:	36424013
	rx packets:	114207
	tx bytes:	9183612
	tx packets:	42110
	tx failed:	18
	rx drop misc:	0
	signal:  	-51 [-51] dBm
	tx bitrate:	433.3 MBit/s
	rx bitrate:	390.0 MBit/s
	authorized:	yes
	connected time:	8412 seconds
`;
const wireless = `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   58.  -52.  -256        0      0      0    207      0        0
`;
/** Drivers based on mac80211, as for USB adapters, report more. */
const mac80211 = `Station d8:07:b6:aa:bb:cc (on wlan1)
	tx packets:	42110
	tx retries:	311
	tx failed:	4
	signal:  	-67 [-70, -69] dBm
	signal avg:	-66 [-69, -68] dBm
	tx bitrate:	130.0 MBit/s VHT-MCS 7 40MHz short GI VHT-NSS 1
	rx bitrate:	6.0 MBit/s
`;

test('parses the WiFi state of a Pi', () => {
  const pi = parseRadio('wlan0', { link, info, station, wireless });
  expect(pi).toEqual({
    connected: true,
    channel: 36,
    frequencyMhz: 5180,
    widthMhz: 80,
    signalDbm: -51,
    transmitDbm: 31,
    transmitMbit: 433.3,
    receiveMbit: 390,
    retries: 207,
    failed: 18,
  });
  const usb = parseRadio('wlan1', { link, info: null, station: mac80211, wireless });
  expect(usb).toMatchObject({ channel: null, signalDbm: -67, transmitMbit: 130, retries: 311, failed: 4 });
  const without = parseRadio('wlan0', { link: null, info: null, station: null, wireless });
  expect(without).toMatchObject({ connected: true, channel: null, signalDbm: -52, retries: 207 });
  const gone = parseRadio('wlan0', { link: 'Not connected.\n', info, station: '', wireless: '' });
  expect(gone).toMatchObject({ connected: false, signalDbm: null, retries: null });
});

test('it is read before the run and after it', async () => {
  const procRoot = makeTemporaryFolder();
  writeFileTree(procRoot, { 'net/wireless': wireless });
  const watch = new RadioWatch('wlan0', procRoot, () => Promise.reject(new Error('no such device')));
  expect(await watch.finish()).toBeNull();
  await watch.start();
  writeFileTree(procRoot, { 'net/wireless': wireless.replace('-52.', '-80.') });
  expect(await watch.finish()).toMatchObject({
    interface: 'wlan0',
    before: { signalDbm: -52 },
    after: { signalDbm: -80 },
  });
});
