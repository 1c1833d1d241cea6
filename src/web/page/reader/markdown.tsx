import { Fragment, h, type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { visibleBlock } from '../../../foundation/text/visible-text.js';
import { type MarkdownNode, markdownNodes } from './markdown-nodes.js';

/** Longer texts are shown unformatted: laying them out would block the page. */
const MAX_MARKDOWN = 65_536;

/** A written text, laid out; nothing in it ever becomes markup, and no picture is fetched. */
export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => (text.length > MAX_MARKDOWN ? null : markdownNodes(text)), [text]);
  return (
    <div class="markdown" dir="auto">
      {nodes === null ? <pre>{visibleBlock(text)}</pre> : <Nodes nodes={nodes} />}
    </div>
  );
}

function Nodes({ nodes }: { nodes: readonly MarkdownNode[] }) {
  return (
    <>
      {nodes.map((node, index) =>
        typeof node === 'string' ? node : <Fragment key={index}>{nodeView(node)}</Fragment>,
      )}
    </>
  );
}

function nodeView(node: Exclude<MarkdownNode, string>): VNode {
  const { name, children } = node;
  const inner = <Nodes nodes={children} />;
  switch (name) {
    case 'a':
      return <Link node={node}>{inner}</Link>;
    case 'image':
      return (
        <Link node={node}>
          <span class="picture">picture</span> {inner}
        </Link>
      );
    case 'task':
      return (
        <span role="img" aria-label={node.isDone === true ? 'done' : 'open'}>
          {node.isDone === true ? '☑' : '☐'}
        </span>
      );
    case 'table':
      return (
        <div class="table" tabIndex={0} role="region" aria-label="Table">
          <table>{inner}</table>
        </div>
      );
    case 'ol':
      return <ol start={node.start}>{inner}</ol>;
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      // Headings in a message are not headings of the page.
      return <p class={`heading ${name}`}>{inner}</p>;
    case 'br':
    case 'hr':
      return h(name, {});
    default:
      return h(name, {}, inner);
  }
}

/** A link that shows where it leads; an address that leads nowhere outside is not a link. */
function Link({
  node: { href, host, children },
  children: inner,
}: {
  node: Exclude<MarkdownNode, string>;
  children: unknown;
}) {
  const isTold =
    host === undefined || children.some((child) => typeof child === 'string' && child.includes(host));
  const where = isTold ? null : <span class="host"> ({host})</span>;
  if (href === undefined)
    return (
      <span class="no-link">
        {inner as VNode}
        {where}
      </span>
    );
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {inner as VNode}
      {where}
    </a>
  );
}
