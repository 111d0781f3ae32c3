import { Fragment, type ComponentChildren } from 'preact'
import { linkTo } from './link.js'

interface LinksProps {
  page: 'run' | 'artifact'
  /** Their paths, such as `team/verse/rows:v0`. */
  of: readonly string[]
}

/** The most links. */
const MOST = 10

/** Links to runs or artifacts, one after the other. */
export function Links({ page, of: paths }: LinksProps): ComponentChildren {
  if (paths.length === 0) return <span class="faint">nothing</span>
  return (
    <>
      {paths.slice(0, MOST).map((path, at) => (
        <Fragment key={path}>
          {at > 0 && ', '}
          {linkTo({ page, id: path }, path.split('/').at(-1))}
        </Fragment>
      ))}
      {paths.length > MOST && <span class="faint"> and {paths.length - MOST} more</span>}
    </>
  )
}
