import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** Copies a text, and says so. */
export function CopyButton({ text, what }: { text: string; what: string }): ComponentChildren {
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
        copy().catch(() => setCopied(undefined))
      }}
    >
      {copied === text ? 'Copied' : 'Copy'}
      <span class="hidden-label"> {what}</span>
    </button>
  )
}
