/** Where the last snapshot of the inbox is kept, for when nobody answers. It goes when this browser is signed out. */
export const SNAPSHOT_CACHE = 'holdfast-snapshot';
export const SNAPSHOT_ITEM = '/kept-inbox';
/** What the page says to its worker: the newer one takes over. */
export const TAKE_OVER = 'take-over';
