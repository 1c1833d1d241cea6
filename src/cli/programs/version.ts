// By its file: the entries that say the version load nothing else of the foundation.
export { VERSION } from '../../foundation/version.js';
