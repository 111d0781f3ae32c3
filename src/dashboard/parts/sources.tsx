import { Fragment, type ComponentChildren } from 'preact'
import { sourceText, type Source } from '../data/lineage.js'

/** Where answers are from, in the color of each distance. */
export function Sources({ of: sources }: { of: readonly Source[] }): ComponentChildren {
  if (sources.length === 0) return <span class="faint">no answers</span>
  return sources.map((source, at) => (
    <Fragment key={source.text}>
      {at > 0 && <span class="and">;</span>}{' '}
      <span class={`source ${source.distance}`}>{sourceText(source)}</span>
    </Fragment>
  ))
}
