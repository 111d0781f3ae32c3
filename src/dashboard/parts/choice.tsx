import type { ComponentChildren } from 'preact'

interface ChoiceProps<T extends string> {
  label: string
  /** The CSS class of a choice whose label everybody sees. Default: only screen readers have the label. */
  look?: 'labeled' | 'field'
  /** The values, each with its text if that is another one. */
  of: readonly (T | readonly [value: T, text: string])[]
  value: T
  change: (value: T) => void
  disabled?: boolean
  'aria-describedby'?: string
}

/** A selection with its label. A value that is none of the options is listed, too. */
export function Choice<T extends string>(props: ChoiceProps<T>): ComponentChildren {
  const { label, look, of, value, change, ...attributes } = props
  const options = of.map((each) => (typeof each === 'string' ? ([each, each] as const) : each))
  const isListed = options.some(([name]) => name === value)
  return (
    <label class={look}>
      <span class={look ? undefined : 'hidden-label'}>{label}</span>{' '}
      <select
        {...attributes}
        value={value}
        onChange={({ currentTarget }) => change(currentTarget.value as T)}
      >
        {[...options, ...(isListed ? [] : [[value, value] as const])].map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ChoicesProps<T extends string> {
  label: string
  of: readonly T[]
  chosen: T
  choose: (value: T) => void
  /** The text of a button. Default: its value. */
  children?: (value: T) => ComponentChildren
}

/** Buttons side by side. One is pressed. */
export function Choices<T extends string>(props: ChoicesProps<T>): ComponentChildren {
  const { label, of, chosen, choose, children = (each) => each } = props
  return (
    <div class="choices" role="group" aria-label={label}>
      {of.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === chosen}
          onClick={() => choose(each)}
        >
          {children(each)}
        </button>
      ))}
    </div>
  )
}

interface ToggleProps {
  checked: boolean
  change: (checked: boolean) => void
  /** More about it, where the pointer is. */
  title?: string | undefined
  disabled?: boolean
  children: ComponentChildren
}

/** A box to check, before its label. */
export function Toggle(props: ToggleProps): ComponentChildren {
  const { checked, change, title, disabled = false, children } = props
  return (
    <label title={title}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />{' '}
      {children}
    </label>
  )
}
