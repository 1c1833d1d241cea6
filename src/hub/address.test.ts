import { describe, expect, it } from 'vitest';
import { addressText, addressWithPassword, parseAddress, tlsFor } from './address.js';
import { passwordIn } from './password.js';
import { storable } from './storable.js';

describe('an address of the hub', () => {
  it('has several hosts, and its text has everything but the password', () => {
    const address = parseAddress(
      'postgres://ann:p%40ss%3A@db1.lan:6432,[fe80::1],db3.lan/hold%20fast?sslrootcert=%2Fca.pem',
    );
    expect(address).toMatchObject({
      hosts: [
        { host: 'db1.lan', port: 6432 },
        { host: 'fe80::1', port: 5432 },
        { host: 'db3.lan', port: 5432 },
      ],
      user: 'ann',
      password: 'p@ss:',
      database: 'hold fast',
      rootCertificate: '/ca.pem',
    });
    expect(addressText(address)).toBe(
      'postgres://ann@db1.lan:6432,[fe80::1],db3.lan/hold%20fast?sslrootcert=%2Fca.pem',
    );
    expect(parseAddress(addressWithPassword(address))).toEqual(address);
  });

  it.each([
    ['http://ann:secret@db/holdfast'],
    ['postgres://:secret@db/holdfast'],
    ['postgres://ann:secret@db/'],
    ['postgres://ann:secret@db:99999/holdfast'],
    ['postgres://ann:secret%zz@db/holdfast'],
    ['postgres://ann:secret@db/holdfast?options=-c%20x'],
    ['postgres://ann:secret@db/holdfast?sslmode=prefer'],
  ])('that cannot be used is refused without a word of it: %s', (text) => {
    let said = '';
    try {
      parseAddress(text);
    } catch (error) {
      said = `${error}${JSON.stringify(error)}`;
    }
    expect(said).toContain('address of the fleet');
    expect(said).not.toContain('secret');
  });

  it.each([
    ['postgres://a@db.lan/x', 'verify-full'],
    ['postgres://a@10.0.0.1/x', 'verify-full'],
    ['postgres://a@localhost/x', 'disable'],
    ['postgres://a@127.0.0.1/x', 'disable'],
    ['postgres://a@/x?host=/run/postgresql', 'disable'],
    ['postgres://a@127.0.0.1.evil.example/x', 'verify-full'],
    ['postgres://a@db.lan/x?sslmode=require', 'require'],
  ])('%s is reached with %s', (text, mode) => {
    const address = parseAddress(text);
    const [host = { host: '', port: 0 }] = address.hosts;
    expect(tlsFor(address, host)).toBe(mode);
  });
});

describe('~/.pgpass', () => {
  const address = parseAddress('postgres://ann@db.lan/holdfast');
  const [host = { host: '', port: 0 }] = address.hosts;

  it.each([
    ['db.lan:5432:holdfast:ann:one', 'one'],
    ['# db.lan:5432:holdfast:ann:no\nother:5432:*:ann:no\n*:*:*:ann:a\\:b\\\\c', 'a:b\\c'],
    ['db.lan:5433:holdfast:ann:no', undefined],
    ['nonsense', undefined],
  ])('%j has %j', (text, password) => {
    expect(passwordIn(text, host, address)).toBe(password);
  });
});

describe('what goes into the database', () => {
  it('is JSON that it can keep', () => {
    expect(JSON.parse(storable({ 'a\0': ['x\0y', '\ud800', '😀', '\udc00z'] }))).toEqual({
      'a\ufffd': ['x\ufffdy', '\ufffd', '😀', '\ufffdz'],
    });
  });
});
