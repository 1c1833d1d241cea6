// What makes the page installable: its manifest, its icons and its service worker. Their names never change, because browsers and
// systems keep them.
import { createHash } from 'node:crypto';
import { icon } from './icon.mjs';
import { build } from './metafiles.mjs';

const PNG = 'image/png';

const MANIFEST = {
  id: '/',
  name: 'Holdfast',
  short_name: 'Holdfast',
  description: 'What waits for you and what works: answer and steer your coding agents.',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: '#f6f5f2',
  theme_color: '#0b5d63',
  icons: [
    { src: '/icon-192.png', sizes: '192x192', type: PNG, purpose: 'any' },
    { src: '/icon-512.png', sizes: '512x512', type: PNG, purpose: 'any' },
    { src: '/icon-maskable.png', sizes: '512x512', type: PNG, purpose: 'maskable' },
  ],
};

/** `shell`: the paths that the page cannot begin without, named by their content but for `/`, whose text is given. */
export async function pocketFiles({ root, folder, target, outdir, shell, text }) {
  const version = createHash('sha256').update(JSON.stringify(shell)).update(text).digest('hex').slice(0, 12);
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    define: { __SHELL__: JSON.stringify(shell), __SHELL_VERSION__: JSON.stringify(version) },
    entryPoints: { worker: `${folder}/pocket/worker.ts` },
    outdir: `${outdir}/page`,
  });
  const png = (name, size, isWhole) => ({
    path: `/${name}.png`,
    type: PNG,
    content: icon(size, { isWhole }),
    isImmutable: false,
  });
  return [
    {
      path: '/worker.js',
      type: 'text/javascript; charset=utf-8',
      content: outputFiles[0]?.text ?? '',
      isImmutable: false,
    },
    {
      path: '/manifest.json',
      type: 'application/manifest+json; charset=utf-8',
      content: JSON.stringify(MANIFEST),
      isImmutable: false,
    },
    png('icon-180', 180, true),
    png('icon-192', 192, false),
    png('icon-512', 512, false),
    png('icon-maskable', 512, true),
  ];
}
