import type { ComponentChildren } from 'preact'
import { hrefOf, type Query, type Route } from '../routes.js'

/** A link in a sentence. */
export function linkTo(route: Route, text: ComponentChildren, query?: Query): ComponentChildren {
  return (
    <a class="inline" href={hrefOf(route, query)}>
      {text}
    </a>
  )
}
