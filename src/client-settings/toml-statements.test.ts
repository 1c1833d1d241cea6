import { describe, expect, it } from 'vitest';
import { readStatements } from './toml-statements.js';

function outlineOf(text: string): string[] {
  return readStatements(text).map(
    ({ kind, path, start, end }) => `${kind} ${path.join(' > ')}: ${text.slice(start, end)}`,
  );
}

describe('readStatements', () => {
  it('finds nothing if there is nothing', () => {
    expect(outlineOf('')).toEqual([]);
    expect(outlineOf('\n  # [a]\r\n\t\n# b = 1')).toEqual([]);
  });

  it('recognises headers, pairs and what they belong to', () => {
    expect(outlineOf('a = 1 # one\nb.c = 2\r\n[d] # three\ne = "4"\n[[f.g]]\nh=5')).toEqual([
      'pair a: a = 1',
      'pair b > c: b.c = 2',
      'header d: [d]',
      'pair d > e: e = "4"',
      'header f > g: [[f.g]]',
      'pair f > g > h: h=5',
    ]);
  });

  it('reads quoted keys and space around dots', () => {
    expect(outlineOf('[ mcp_servers . "hold\\u0066ast" . \'e.nv\' ]\n"a.b" = 1\n"" = 2')).toEqual([
      'header mcp_servers > holdfast > e.nv: [ mcp_servers . "hold\\u0066ast" . \'e.nv\' ]',
      'pair mcp_servers > holdfast > e.nv > a.b: "a.b" = 1',
      'pair mcp_servers > holdfast > e.nv > : "" = 2',
    ]);
  });

  it.each([
    ['a basic string', '"# [x]\\"\\\\"'],
    ['a literal string', "'# [x]\\'"],
    ['a multi-line string', '"""\n[x]\ny = 1 \\""" # \\\n"""'],
    ['a multi-line string that ends in a quote', '"""a""""'],
    ['a multi-line string that ends in quotes', '"""a"""""'],
    ['a multi-line literal', "'''\n[x]\\\ny = \"1''\n'''"],
    ['a multi-line literal that ends in a quote', "'''a''''"],
    ['a multi-line literal that ends in quotes', "'''a'''''"],
    ['an array over lines', '[ # ]\n  "]", [1,\n2], # [\n]'],
    ['an inline table', '{ a = [1], b = "}" }'],
    ['an inline table over lines', '{\n  a = 1, # }\n}'],
    ['a date with a space', '1979-05-27 07:32:00Z'],
  ])('knows where %s ends', (_what, value) => {
    expect(outlineOf(`a = ${value}  # end\nb = 2\n`)).toEqual([`pair a: a = ${value}`, 'pair b: b = 2']);
    expect(outlineOf(`a = ${value}`)).toEqual([`pair a: a = ${value}`]);
  });

  it('stops at what is not TOML instead of looping forever', () => {
    expect(outlineOf('a = 1\n= 2\n"')).toEqual(['pair a: a = 1', 'pair : = 2']);
  });
});
