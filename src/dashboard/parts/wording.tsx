import type { ComponentChildren } from 'preact'

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** A number as a person reads it: `0.8959`, `1,234`, `5e-6`. */
export function figure(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return value === null ? 'null' : JSON.stringify(value)
  if (Number.isInteger(value)) return WHOLE.format(value)
  const size = Math.abs(value)
  if (size < 0.001 || size >= 1e6) return value.toExponential(2).replace(/\.?0+e/, 'e')
  return String(Number(value.toPrecision(4)))
}

/** Metrics as text, the usual ones first. */
export function metricsLine(metrics: Readonly<Record<string, unknown>>): string {
  return Object.entries(metrics)
    .sort(([a], [b]) => compareMetricNames(a, b))
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join('  ')
}

const FIRST = ['loss', 'reward']

/** Compares names such as `train/loss`: the usual ones first, by what stands last in them. */
export function compareMetricNames(a: string, b: string): number {
  const lastPart = (name: string): string => name.slice(name.search(/[^/.]*$/))
  const [one, other] = [lastPart(a), lastPart(b)]
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
  return rank(one) - rank(other) || one.localeCompare(other) || a.localeCompare(b)
}

/** A number of bytes as a person reads it: `850 B`, `1.2 kB`, `3.4 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`
}

/** How long something took: `0.8 ms`, `850 ms`, `12.5 s`, `3 m 20 s`. */
export function lasting(time: number | null): string {
  if (time === null) return ''
  if (time < 10) return `${time.toFixed(1)} ms`
  if (time < 1000) return `${WHOLE.format(time)} ms`
  if (time < 60_000) return `${Number((time / 1000).toFixed(1))} s`
  const minutes = Math.floor(time / 60_000)
  const rest = Math.round((time % 60_000) / 1000)
  if (minutes < 60) return `${minutes} m ${rest} s`
  return `${WHOLE.format(Math.floor(minutes / 60))} h ${minutes % 60} m`
}

export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${WHOLE.format(count)} ${count === 1 ? thing : things}`
}

export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** `team/project/poet` */
export function fullName(model: { entity: string; project: string; name: string }): string {
  return `${model.entity}/${model.project}/${model.name}`
}

/** `team/project` */
export function projectOf({ entity, project }: { entity: string; project: string }): string {
  return `${entity}/${project}`
}

/** A name in one line. A long one is cut off, and the title has all of it. */
export function Name({ of }: { of: string }): ComponentChildren {
  return (
    <span class="name" title={of}>
      {of}
    </span>
  )
}

/** A moment on the emulator's clock: the time of day. The title has the date. */
export function Moment({ at }: { at: string | null | undefined }): ComponentChildren {
  if (!at) return <span class="faint">–</span>
  return (
    <time dateTime={at} title={at}>
      {at.slice(11, 23)}
    </time>
  )
}

interface FactsProps {
  /** The descriptions by their terms. Those without a description are left out. */
  of: Readonly<Record<string, ComponentChildren>>
  /** The CSS class of the list. */
  look?: string
  label?: string
}

/** Terms and their descriptions. */
export function Facts({ of, look, label }: FactsProps): ComponentChildren {
  const facts = Object.entries(of).filter(([, fact]) => fact !== undefined && fact !== null)
  return (
    <dl class={look} aria-label={label}>
      {facts.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  )
}
