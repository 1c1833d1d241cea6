import { describe, expect, it } from 'vitest';
import { repositoryName } from './repository.js';

describe('the name of a repository', () => {
  it.each([
    ['https://git.lan/team/shop.git', 'shop'],
    ['https://ann:secret@git.lan/team/shop', 'shop'],
    ['git@git.lan:shop.git', 'shop'],
    ['ssh://git@git.lan:2222/team/shop.git/', 'shop'],
    ['/srv/git/shop.git', 'shop'],
    ['/srv/git/.git', 'repository'],
  ])('is the last part of its address, and nothing else of it: %s', (url, name) => {
    expect(repositoryName(url)).toBe(name);
  });
});
