import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface TextEditorProps {
  label: string
  text: string
  readOnly: boolean
  /** The numbers of the lines that have a problem, from 1. */
  wrong: ReadonlySet<number>
  /** Where to put the caret. A new object moves it. */
  place: Place | undefined
  onChange: (text: string) => void
}

/** A place in a text: a line and a column, both from 1. */
export interface Place {
  line: number
  column: number
}

/** A text field with numbers of lines. Tab indents; after Escape, Tab leaves the field. */
export function TextEditor(props: TextEditorProps): ComponentChildren {
  const { label, text, readOnly, wrong, place, onChange } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const leaves = useRef(false)
  const count = text.split('\n').length
  useEffect(() => {
    if (place && field.current) goTo(field.current, place)
  }, [place])
  const press = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === 'Escape') {
      leaves.current = true
      return
    }
    const left = leaves.current
    if (event.key !== 'Shift') leaves.current = false
    const withModifier = event.ctrlKey || event.metaKey || event.altKey
    if (readOnly || withModifier || event.isComposing) return
    if (event.key === 'Tab' && !left) edit(event, event.shiftKey ? outdent : indent)
    if (event.key === 'Enter') edit(event, breakLine)
  }
  return (
    <div class="editor card">
      <div class="numbers" ref={numbers} aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          <span key={index} class={wrong.has(index + 1) ? 'bad' : undefined}>
            {index + 1}
          </span>
        ))}
      </div>
      <textarea
        ref={field}
        class="mono"
        aria-label={label}
        aria-describedby="editor-help"
        aria-invalid={wrong.size > 0}
        rows={Math.min(32, Math.max(10, count + 1))}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        readOnly={readOnly}
        value={text}
        onKeyDown={press}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        onScroll={({ currentTarget }) => {
          numbers.current!.scrollTop = currentTarget.scrollTop
        }}
      />
    </div>
  )
}

/** Returns what replaces the text between two offsets. Undefined: nothing changes. */
type Edit = (text: string, from: number, to: number) => Replacement | undefined

interface Replacement {
  from: number
  to: number
  by: string
}

function edit(event: TargetedKeyboardEvent<HTMLTextAreaElement>, change: Edit): void {
  event.preventDefault()
  const field = event.currentTarget
  const { value, selectionStart, selectionEnd } = field
  const replaced = change(value, selectionStart, selectionEnd)
  if (!replaced) return
  field.setSelectionRange(replaced.from, replaced.to)
  insert(field, replaced.by)
  if (replaced.by.includes('\n') && selectionStart !== selectionEnd && event.key === 'Tab') {
    field.setSelectionRange(replaced.from, replaced.from + replaced.by.length)
  }
}

/** Replaces the selection as typing does, so that the browser can undo it. */
function insert(field: HTMLTextAreaElement, text: string): void {
  // Nothing else keeps the history of the field.
  // oxlint-disable-next-line typescript/no-deprecated
  if (document.execCommand(text === '' ? 'delete' : 'insertText', false, text)) return
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

const STEP = '  '

const indent: Edit = (text, from, to) => {
  if (!text.slice(from, to).includes('\n')) return { from, to, by: STEP }
  return eachLine(text, { from, to }, (line) => (line === '' ? line : STEP + line))
}

const outdent: Edit = (text, from, to) => {
  return eachLine(text, { from, to }, (line) => line.replace(/^ {1,2}/, ''))
}

function eachLine(
  text: string,
  { from, to }: { from: number; to: number },
  change: (line: string) => string,
): Replacement | undefined {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const after = text.indexOf('\n', to)
  const end = after === -1 ? text.length : after
  const before = text.slice(start, end)
  const by = before.split('\n').map(change).join('\n')
  return by === before ? undefined : { from: start, to: end, by }
}

/** A new line begins where the one before begins. */
const breakLine: Edit = (text, from, to) => {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const [margin = ''] = /^ */.exec(text.slice(start, from))!
  return { from, to, by: `\n${margin}` }
}

/** The offset of a place. */
export function offsetOf(text: string, { line, column }: Place): number {
  const before = text.split('\n').slice(0, line - 1)
  return Math.min(text.length, before.join('\n').length + (line > 1 ? 1 : 0) + column - 1)
}

/** Selects the rest of the line, and scrolls to it. */
function goTo(field: HTMLTextAreaElement, place: Place): void {
  const from = offsetOf(field.value, place)
  const end = field.value.indexOf('\n', from)
  field.focus()
  field.setSelectionRange(from, end === -1 ? field.value.length : end)
  const height = Number.parseFloat(getComputedStyle(field).lineHeight)
  field.scrollTop = Math.max(0, (place.line - 5) * height)
  field.scrollLeft = 0
}
