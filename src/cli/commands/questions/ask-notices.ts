// What `ask` needs for notices when a channel is configured: in a separate file that commands that start often do not load.
export { openNotices } from '../../open-notices.js';
