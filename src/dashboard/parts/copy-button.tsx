import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface CopyButtonProps {
  text: string
  /** What is copied, for screen readers: `the key`. */
  what: string
  /** What the button says. Default: Copy, and `what` for screen readers only. */
  label?: string
}

/** Copies a text, and says so. */
export function CopyButton({ text, what, label }: CopyButtonProps): ComponentChildren {
  const [copied, setCopied] = useState<string>()
  const copy = async (): Promise<void> => {
    // Browsers offer the clipboard only to pages from this machine or over HTTPS.
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <button
      type="button"
      onClick={() => {
        // Without the clipboard, the button does not say that it copied. The user can select the text.
        copy().catch(() => setCopied(undefined))
      }}
    >
      {copied === text ? 'Copied' : (label ?? 'Copy')}
      {label === undefined && <span class="hidden-label"> {what}</span>}
    </button>
  )
}

interface CopyTextProps {
  title: string
  text: string
  /** What is copied, for screen readers. Default: the title. */
  what?: string
  /** What a screen reader calls the text. Default: the text is no region. */
  region?: string
}

/** A text that the user can copy, below its title. */
export function CopyText({ title, text, what, region }: CopyTextProps): ComponentChildren {
  return (
    <>
      <div class="line">
        <h2>{title}</h2>
        <CopyButton text={text} what={what ?? `the ${title.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} role={region === undefined ? undefined : 'region'} aria-label={region}>
        {text}
      </pre>
    </>
  )
}
