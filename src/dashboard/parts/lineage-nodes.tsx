import type { ComponentChildren } from 'preact'
import type { Distance, Source } from '../data/lineage.js'

export function Edge({ of }: { of?: Distance }): ComponentChildren {
  return (
    <svg class={`edge ${of ?? ''}`} aria-hidden="true">
      <line y1="50%" x2="100%" y2="50%" />
    </svg>
  )
}

export function Arrow(): ComponentChildren {
  return (
    <svg class="arrow" viewBox="0 0 20 24" aria-hidden="true">
      <path d="M0 12H19m-5-4l5 4l-5 4" />
    </svg>
  )
}

/** Each line of a node but the first one begins with a space, so that lines are words in its text, too. */
interface LineageNodeProps {
  /** The CSS classes of the node, besides `node`. */
  look: string
  /** What a screen reader says, and the title. */
  label: string
  /** The page that the node opens. A node without a page is plain text. */
  href?: string | undefined
  /** Whether the key Tab passes by, because the arrow keys reach the node from its neighbor. */
  isPassed?: boolean
  children: ComponentChildren
}

export function LineageNode({
  look,
  label,
  href,
  isPassed,
  children,
}: LineageNodeProps): ComponentChildren {
  const attributes = { class: `node ${look}`, title: label }
  if (href === undefined) return <div {...attributes}>{children}</div>
  return (
    <a {...attributes} href={href} aria-label={label} tabIndex={isPassed ? -1 : undefined}>
      {children}
    </a>
  )
}

/** The lines from chats to their trajectories. */
export function Edges({ of: sources }: { of: readonly Source[] }): ComponentChildren {
  return (
    <div class="edges">
      {sources.map(({ distance }, at) => (
        <Edge key={at} of={distance} />
      ))}
    </div>
  )
}
