import { expect, test } from 'bun:test';
import { hostKind } from '../../src/base/address.ts';

const HOSTS: Readonly<Record<ReturnType<typeof hostKind>, readonly string[]>> = {
  loopback: [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]',
    '0:0:0:0:0:0:0:1',
  ],
  private: [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    'fc00::1',
    'fdff::1',
    '[fe80::1]',
    'fe80::1%eth0',
    'ff02::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:db8::1',
    '::10.0.0.1',
  ],
  public: [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '223.255.255.255',
    '2606:4700::1111',
    '[2001:4860:4860::8888]',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ],
  name: [
    'example.com',
    'localhost.example',
    'notlocalhost',
    '256.1.1.1',
    '1.2.3',
    '',
    'a:b',
    '1::2::3',
    '::12345',
    '::a.b',
  ],
};

for (const [kind, hosts] of Object.entries(HOSTS)) {
  test(`${kind} hosts are told apart`, () => {
    expect(hosts.map((host) => [host, hostKind(host)])).toEqual(hosts.map((host) => [host, kind]));
  });
}
