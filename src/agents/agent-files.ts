import { join } from 'node:path';
import { keysNotTaken } from '../foundation/index.js';
import { type FileSystem, listDirectory, readUserFile } from '../storage/index.js';

/** What a Markdown file says about an agent. Never a command: a cloned repository must not choose a program to run. */
export interface AgentFile {
  readonly name: string;
  readonly description: string | null;
  readonly model: string | null;
  readonly systemPrompt: string;
  readonly path: string;
  /** Other keys of its front matter, such as `tools`: they are ignored. */
  readonly notTaken: readonly string[];
}

/** Where agent files are found, below a project and below a home directory. */
const DIRECTORIES = [join('.claude', 'agents'), join('.aurora', 'agents')];
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Many files say this; it is not the name of a model. */
const SAME_MODEL = 'inherit';

/** The agents that files describe, those of the project first; a file that says nothing usable is skipped. */
export function readAgentFiles(
  fileSystem: FileSystem,
  roots: { readonly project: string; readonly home: string },
): AgentFile[] {
  const found = new Map<string, AgentFile>();
  for (const root of [roots.project, roots.home]) {
    for (const directory of DIRECTORIES) {
      for (const agent of readDirectory(fileSystem, join(root, directory))) {
        if (!found.has(agent.name)) found.set(agent.name, agent);
      }
    }
  }
  return [...found.values()];
}

function readDirectory(fileSystem: FileSystem, directory: string): AgentFile[] {
  const names = listQuietly(fileSystem, directory).filter((name) => name.endsWith('.md'));
  return names.sort().flatMap((name) => {
    const path = join(directory, name);
    const text = readQuietly(fileSystem, path);
    const agent = text === undefined ? undefined : parseAgentFile(path, name, text);
    return agent === undefined ? [] : [agent];
  });
}

/** The agent of a file: `name`, `description` and `model` come from its front matter, and the rest is the prompt. */
export function parseAgentFile(path: string, fileName: string, text: string): AgentFile | undefined {
  const { fields: given, body } = splitFrontMatter(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
  const notTaken = keysNotTaken('agentFile', given.keys());
  const fields = new Map([...given].filter(([key]) => !notTaken.includes(key)));
  const name = fields.get('name') ?? fileName.replace(/\.md$/, '');
  const systemPrompt = body.trim();
  if (!NAME.test(name) || systemPrompt === '') return undefined;
  const model = fields.get('model') ?? null;
  return {
    name,
    description: fields.get('description') ?? null,
    model: model === SAME_MODEL ? null : model,
    systemPrompt,
    path,
    notTaken,
  };
}

/** Lines of `key: value` between two lines of `---`; only plain values matter to us. */
function splitFrontMatter(text: string): { fields: Map<string, string>; body: string } {
  const match = /^---\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(text);
  const fields = new Map<string, string>();
  if (match === null) return { fields, body: text };
  for (const line of (match[1] ?? '').split('\n')) {
    const [, key, raw] = /^([A-Za-z][\w-]*):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (key !== undefined && raw !== undefined && raw !== '') fields.set(key, unquote(raw));
  }
  return { fields, body: text.slice(match[0].length) };
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted === null ? value : (quoted[2] ?? '');
}

/** What cannot be read is not an agent of ours; the list is simply shorter then. */
function listQuietly(fileSystem: FileSystem, directory: string): string[] {
  try {
    return listDirectory(fileSystem, directory);
  } catch {
    return [];
  }
}

function readQuietly(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return readUserFile(fileSystem, path);
  } catch {
    return undefined;
  }
}
