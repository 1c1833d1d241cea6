import { basename } from 'node:path';
import { InvalidInputError, visibleExcerpt } from '../../foundation/index.js';

const MAX_NAME = 60;
const PART = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * What the branch and directory of a worktree are named after: the name that was typed, otherwise the plan's. Throws
 * INVALID_INPUT.
 */
export function worktreeName(typed: string, planPath: string): string {
  return typed === '' ? slugOf(planPath) : checkedName(typed);
}

/** A name that may contain slashes, like a branch. Nothing in it can be an option, leave a directory, or upset git. */
function checkedName(typed: string): string {
  const parts = typed.split('/');
  const isGood = (part: string) =>
    PART.test(part) && !part.includes('..') && !part.endsWith('.') && !part.endsWith('.lock');
  if (typed.length <= MAX_NAME && parts.every(isGood)) return typed;
  throw new InvalidInputError(`${visibleExcerpt(typed, 80)} cannot be the name of a worktree`, {
    place: 'worktree',
    hint: `Letters, digits, dots, dashes and underscores, in parts that slashes separate; ${MAX_NAME} characters at most.`,
  });
}

/** The name of a plan, whatever it contains, as part of a branch. */
function slugOf(planPath: string): string {
  const slug = basename(planPath)
    .replace(/\.[A-Za-z0-9]+$/, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, MAX_NAME)
    .replace(/-+$/, '');
  return slug === '' ? 'plan' : slug;
}

/** `holdfast/login-3f2a`. */
export function branchOf(name: string, sessionId: string): string {
  return `holdfast/${name}-${sessionId.slice(0, 4)}`;
}

/** The same as one directory, in a directory for the repository: `shop/login-3f2a`. */
export function directoryOf(repository: string, name: string, sessionId: string): string {
  return `${slugOf(repository)}/${name.replaceAll('/', '-')}-${sessionId.slice(0, 4)}`;
}
