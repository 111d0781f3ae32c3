import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ClockBar } from './parts/clock-bar.js'
import { call } from './data/control.js'
import { CurvesPage } from './pages/curves-page.js'
import { DeliveriesPage } from './pages/deliveries-page.js'
import { DeliveryPage } from './pages/delivery-page.js'
import { JobNews } from './pages/job-news.js'
import { JobPage } from './pages/job-page.js'
import { JobsPage } from './pages/jobs-page.js'
import { MOST_JOBS, type Live } from './data/live.js'
import { RequestsPage } from './pages/requests-page.js'
import { hrefOf, useRoute, type Route } from './routes.js'
import { ScenarioPage } from './pages/scenario-page.js'
import { SinkPage } from './pages/sink-page.js'
import { Problem } from './parts/use-action.js'
import { useLive, useLiveStore } from './data/use-live.js'
import { useLoaded } from './data/use-loaded.js'
import { useScroll } from './parts/use-scroll.js'
import { Name, shortId } from './parts/wording.js'

const PAGES = [
  ['jobs', 'Jobs', ['jobs', 'job']],
  ['curves', 'Curves', ['curves']],
  ['deliveries', 'Deliveries', ['deliveries', 'delivery']],
  ['sink', 'Sink', ['sink']],
  ['requests', 'Requests', ['requests']],
  ['scenario', 'Scenario', ['scenario']],
] as const

export function App(): ComponentChildren {
  const connection = useLive((live) => live.connection)
  const info = useLive((live) => live.info)
  const route = useRoute()
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header class="top">
        <nav aria-label="Pages">
          {PAGES.map(([page, name, of]) => (
            <a
              key={page}
              href={hrefOf({ page })}
              aria-current={of.some((each) => each === route.page) ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        <div class="world">
          {info && (
            <p>
              <a href={hrefOf({ page: 'scenario' })}>
                <Name of={info.scenario.name} />
              </a>{' '}
              <span class="faint">seed {info.seed}</span>
            </p>
          )}
          <span class={`connection ${connection}`} role="status">
            {connection === 'lost' ? 'reconnecting' : connection}
          </span>
        </div>
        <ClockBar />
      </header>
      <main id="main" tabIndex={-1}>
        {connection !== 'connecting' && <World route={route} />}
      </main>
      <JobNews />
    </>
  )
}

/** What the tab says. */
function titleOf(route: Route, { jobs }: Live): string {
  if (route.page === 'job') {
    const job = jobs.get(route.id)
    return job ? `${job.model.name} #${job.ordinal}` : `Job ${shortId(route.id)}`
  }
  if (route.page === 'delivery') return `Delivery ${shortId(route.id)}`
  return PAGES.find(([page]) => page === route.page)![1]
}

/** The page below the header. It loads its lists after the stream is open, so that it misses nothing. */
function World({ route }: { route: Route }): ComponentChildren {
  const live = useLiveStore()
  const known = useLive((each) => each.info)
  const calm = useLive((each) => each.calm)
  const { error, reload } = useLoaded(async () => {
    const [info, clock, { jobs }] = await Promise.all([
      call('GET /info'),
      call('GET /clock'),
      call('GET /jobs', { query: { limit: MOST_JOBS } }),
    ])
    live.setInfo(info)
    live.setClock(clock)
    live.list(jobs.toReversed())
  })
  const journal = useLoaded(async () => {
    live.fill((await call('GET /requests', { query: { limit: 1000 } })).requests)
  })
  useEffect(() => {
    if (calm > 0) reload()
  }, [calm, reload])
  const place = hrefOf(route)
  const first = useRef(true)
  const title = useLive((each) => titleOf(route, each))
  useEffect(() => {
    document.title = `${title} · svtrain-emulator`
  }, [title])
  useEffect(() => {
    if (!first.current)
      (document.querySelector<HTMLElement>('main h1') ?? document.querySelector('main'))?.focus({
        preventScroll: true,
      })
    first.current = false
  }, [place])
  useScroll(place)
  if (!known) return error ? <Problem of={error} /> : <p class="empty">Loading…</p>
  return (
    <>
      <Problem of={error ?? journal.error} />
      <Page key={place} route={route} />
    </>
  )
}

function Page({ route }: { route: Route }): ComponentChildren {
  switch (route.page) {
    case 'jobs':
      return <JobsPage />
    case 'job':
      return <JobPage id={route.id} />
    case 'curves':
      return <CurvesPage />
    case 'deliveries':
      return <DeliveriesPage />
    case 'delivery':
      return <DeliveryPage id={route.id} />
    case 'sink':
      return <SinkPage />
    case 'requests':
      return <RequestsPage />
    case 'scenario':
      return <ScenarioPage />
  }
}

/** The hash holds the route, so the browser cannot follow this link by itself. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('main')!.focus()
}
