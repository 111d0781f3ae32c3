import type { ComponentChildren } from 'preact'

/** The description of a schema, with code between backticks. */
export function Description({ text = '' }: { text: string | undefined }): ComponentChildren {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))
}
