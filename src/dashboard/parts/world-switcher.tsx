import { Fragment, type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { WorldState } from '../../emulator/control/schemas/info.js'
import { call } from '../data/control.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { world, worldHref } from '../data/world.js'
import { hrefOf, listedOf, useRoute } from '../routes.js'
import { Problem } from './use-action.js'
import { counted, figure } from './amounts.js'
import { Name } from './facts.js'

/** The world that serves requests without an accepted key. */
const DEFAULT = 'default'

/** How many worlds the notice links to. The switcher has all. */
const MOST_LINKS = 5

/** Whether each API key has its own world. */
function useIsolated(): boolean {
  const isolate = useLive(({ info }) => info?.isolate)
  const others = useLive(({ worlds = [] }) => worlds.length)
  return world !== undefined || others > 0 || Boolean(isolate)
}

/** Shows which world the page is about, and goes to another one. Nothing if all keys share one world. */
export function WorldSwitcher(): ComponentChildren {
  const isolated = useIsolated()
  const others = useLive(({ worlds = [] }) => worlds.length)
  const [open, setOpen] = useState(false)
  if (!isolated) return null
  return (
    <div class="worlds">
      <button popovertarget="worlds" aria-expanded={open}>
        <span class="faint">World</span> <Name of={world ?? DEFAULT} />{' '}
        <span class="faint">of {figure(others + 1)}</span>
      </button>
      <div
        id="worlds"
        class="world-list card stack"
        popover="auto"
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {open && <WorldList />}
      </div>
    </div>
  )
}

/** All worlds, with links that keep the place. It follows the worlds that appear. */
function WorldList(): ComponentChildren {
  const known = useLive(({ worlds = [] }) => worlds.join(' '))
  const { value, error } = useLoaded(() => call('GET /worlds'), known)
  // The other world does not have the record of this page, but the page of all of them.
  const place = hrefOf({ page: listedOf(useRoute()) })
  return (
    <>
      <p class="faint">Each API key has its own world.</p>
      <Problem of={error} />
      <ul>
        <WorldItem name={undefined} place={place}>
          calls without an accepted key
        </WorldItem>
        {value?.worlds.map((each) => (
          <WorldItem key={each.name} name={each.name} place={place}>
            {each.scenario}, {contentsOf(each)}
          </WorldItem>
        ))}
      </ul>
      {value?.worlds.length === 0 && <p>No client has made a call yet.</p>}
    </>
  )
}

interface WorldItemProps {
  name: string | undefined
  place: string
  children: ComponentChildren
}

function WorldItem({ name, place, children }: WorldItemProps): ComponentChildren {
  return (
    <li>
      <a href={worldHref(name, place)} aria-current={name === world ? 'page' : undefined}>
        {name ?? DEFAULT}
      </a>{' '}
      <span class="faint">{children}</span>
    </li>
  )
}

function contentsOf({ jobs, running_jobs, requests }: WorldState): string {
  const going = running_jobs > 0 ? ` (${figure(running_jobs)} not over)` : ''
  return `${counted(jobs, 'job')}${going}, ${counted(requests, 'request')}`
}

/** Says where the clients work, while the page shows the world that none of them uses. */
export function WorldNotice(): ComponentChildren {
  const isolated = useIsolated()
  const worlds = useLive((live) => live.worlds) ?? []
  if (!isolated || world !== undefined) return null
  return (
    <p class="note">
      Each API key has its own world. This one has only calls without an accepted key.{' '}
      {worlds.length === 0 ? (
        'The worlds of your clients appear here with their first calls.'
      ) : (
        <>
          Your clients work in{' '}
          {worlds.slice(-MOST_LINKS).map((name, at) => (
            <Fragment key={name}>
              {at > 0 && ', '}
              <a class="inline" href={worldHref(name, '#/jobs')}>
                {name}
              </a>
            </Fragment>
          ))}
          {worlds.length > MOST_LINKS &&
            ` and ${counted(worlds.length - MOST_LINKS, 'more world')}`}
          .
        </>
      )}
    </p>
  )
}

/**
 * A sentence for an empty list: which calls it cannot show. Undefined if all keys share one world. In the
 * world that no client uses, it is undefined until there are others, so that the list can teach.
 */
export function useElsewhere(): string | undefined {
  const others = useLive(({ worlds = [] }) => worlds.length)
  if (world !== undefined) return `It has only the calls with its own API key.`
  return others === 0 ? undefined : 'Your clients have their own worlds.'
}
