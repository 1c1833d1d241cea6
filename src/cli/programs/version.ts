// Imported by file: the entries that print the version load nothing else of the foundation.
export { VERSION } from '../../foundation/version.js';
