/** Where the last snapshot of the inbox is kept in case no server answers. It is erased when this browser is signed out. */
export const SNAPSHOT_CACHE = 'holdfast-snapshot';
export const SNAPSHOT_ITEM = '/kept-inbox';
/** The message that tells the newer worker to take over. */
export const TAKE_OVER = 'take-over';
