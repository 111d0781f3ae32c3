import type { ComponentChildren } from 'preact'
import type { PlotOptions, Zoom } from './plot.js'
import { Toggle } from './choice.js'
import { useQuery } from '../routes.js'

export interface CurveOptions extends PlotOptions {
  setZoom: (zoom: Zoom | undefined) => void
  /** The fields that change the options. */
  fields: ComponentChildren
}

/** How curves are drawn. It is in the address, so a link shows the same. */
export function useCurveOptions(): CurveOptions {
  const [log, setLog] = useQuery('log')
  const [weight, setWeight] = useQuery('smooth', '0')
  const [steps, setSteps] = useQuery('steps')
  const smoothing = Math.min(0.99, Math.max(0, Number(weight) || 0))
  const zoom = zoomOf(steps)
  const setZoom = (next: Zoom | undefined): void => setSteps(next ? next.join('-') : '')
  const [from = '', to = ''] = zoom?.map(String) ?? []
  const fields = (
    <>
      <Toggle checked={log !== ''} change={(next) => setLog(next ? '1' : '')}>
        Log scale
      </Toggle>
      <label class="line">
        Smoothing{' '}
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={smoothing}
          onInput={({ currentTarget }) => setWeight(currentTarget.value)}
        />
        <output class="number">{smoothing.toFixed(2)}</output>
      </label>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          setZoom(zoomOf(`${Number(data.get('from'))}-${Number(data.get('to'))}`))
        }}
      >
        <label>
          Steps <input key={from} name="from" type="number" min="0" defaultValue={from} required />
        </label>
        <label>
          to <input key={to} name="to" type="number" min="1" defaultValue={to} required />
        </label>
        <button>Zoom</button>
        <button type="button" disabled={!zoom} onClick={() => setZoom(undefined)}>
          Reset zoom
        </button>
      </form>
    </>
  )
  return { log: log !== '', smoothing, zoom, setZoom, fields }
}

function zoomOf(text: string): Zoom | undefined {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text) ?? []
  if (from === undefined || to === undefined || Number(from) >= Number(to)) return undefined
  return [Number(from), Number(to)]
}
