import { Fragment, type ComponentChildren, type FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ClockBar } from './parts/clock-bar.js'
import { call } from './data/control.js'
import { ARTIFACT } from './pages/artifact-page.js'
import { ARTIFACTS } from './pages/artifacts-page.js'
import { RUN } from './pages/run-page.js'
import { RUNS } from './pages/runs-page.js'
import { OneRecord } from './kit/detail.js'
import { Records } from './kit/records.js'
import { RequestPage } from './pages/request-page.js'
import { TimelinePage } from './pages/timeline-page.js'
import { SchedulePage } from './pages/agenda-page.js'
import { MODELS } from './pages/models-page.js'
import { LineagePage } from './pages/lineage-page.js'
import { ChatPage } from './pages/chat-page.js'
import { FaultsPage } from './pages/faults-page.js'
import { WebhooksPage } from './pages/webhooks-page.js'
import { CurvesPage } from './pages/curves-page.js'
import { DELIVERIES } from './pages/deliveries-page.js'
import { DELIVERY } from './pages/delivery-page.js'
import { JobAnnouncements } from './pages/job-news.js'
import { JobPage } from './pages/job-page.js'
import { JOBS } from './pages/jobs-page.js'
import { MOST_JOBS, type Live } from './data/live.js'
import { REQUESTS } from './pages/requests-page.js'
import { hrefOf, useRoute, type ListedPage, type Route } from './routes.js'
import { ScenarioPage } from './pages/scenario-page.js'
import { SINK } from './pages/sink-page.js'
import { Problem } from './parts/use-action.js'
import { useLive, useLiveStore } from './data/use-live.js'
import { useLoaded } from './data/use-loaded.js'
import { world } from './data/world.js'
import { useScroll } from './parts/use-scroll.js'
import { Name, shortId } from './parts/wording.js'
import { WorldNotice, WorldSwitcher } from './parts/world-switcher.js'

type Listing = readonly [page: ListedPage, name: string, content: FunctionComponent]

/** The pages in the list, in groups. */
const PAGES: Readonly<Record<string, readonly Listing[]>> = {
  Training: [
    ['jobs', 'Jobs', () => <Records of={JOBS} />],
    ['curves', 'Curves', CurvesPage],
    ['models', 'Models', () => <Records of={MODELS} />],
    ['runs', 'Runs', () => <Records of={RUNS} />],
    ['artifacts', 'Artifacts', () => <Records of={ARTIFACTS} />],
    ['lineage', 'Lineage', LineagePage],
    ['chat', 'Chat', ChatPage],
  ],
  Traffic: [
    ['requests', 'Requests', () => <Records of={REQUESTS} />],
    ['timeline', 'Timeline', TimelinePage],
    ['deliveries', 'Deliveries', () => <Records of={DELIVERIES} />],
    ['sink', 'Sink', () => <Records of={SINK} />],
  ],
  Control: [
    ['agenda', 'Agenda', SchedulePage],
    ['faults', 'Faults', FaultsPage],
    ['webhooks', 'Webhooks', WebhooksPage],
    ['scenario', 'Scenario', ScenarioPage],
  ],
}

function listingOf({ page }: Route): Listing {
  return Object.values(PAGES)
    .flat()
    .find(([each]) => each === page)!
}

/** The page in the list that a route belongs to. */
const LISTED = {
  job: 'jobs',
  request: 'requests',
  delivery: 'deliveries',
  run: 'runs',
  artifact: 'artifacts',
} as const

function listedOf({ page }: Route): string {
  return page in LISTED ? LISTED[page as keyof typeof LISTED] : page
}

export function App(): ComponentChildren {
  const connection = useLive((live) => live.connection)
  const info = useLive((live) => live.info)
  const route = useRoute()
  const place = hrefOf(route)
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === place
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Pages route={route} isOpen={isOpen} />
      <div>
        <header class="top">
          <button
            class="menu"
            aria-expanded={isOpen}
            aria-controls="pages"
            onClick={() => setOpenAt(isOpen ? undefined : place)}
          >
            Menu
          </button>
          <WorldSwitcher />
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
      </div>
      <JobAnnouncements />
    </>
  )
}

/** The list of pages. In a narrow window, it is open at one place only: it closes when the user goes on. */
function Pages({ route, isOpen }: { route: Route; isOpen: boolean }): ComponentChildren {
  const listed = listedOf(route)
  return (
    <nav id="pages" class={isOpen ? 'pages' : 'pages closed'} aria-label="Pages">
      {Object.entries(PAGES).map(([group, pages]) => (
        <Fragment key={group}>
          <h2>{group}</h2>
          {pages.map(([page, name]) => (
            <a
              key={page}
              href={hrefOf({ page })}
              aria-current={page === listed ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </Fragment>
      ))}
    </nav>
  )
}

/** What the tab says. */
function titleOf(route: Route, { jobs }: Live): string {
  if (route.page === 'job') {
    const job = jobs.get(route.id)
    return job ? `${job.model.name} #${job.ordinal}` : `Job ${shortId(route.id)}`
  }
  if (route.page === 'delivery') return `Delivery ${shortId(route.id)}`
  if (route.page === 'request') return `Request ${route.id}`
  if (route.page === 'run') return `Run ${route.id.split('/').at(-1)}`
  if (route.page === 'artifact') return `Artifact ${route.id.split('/').at(-1)}`
  return listingOf(route)[1]
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
    const names = [title, ...(world === undefined ? [] : [world]), 'svtrain-emulator']
    document.title = names.join(' · ')
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
      <WorldNotice />
      <Page key={place} route={route} />
    </>
  )
}

function Page({ route }: { route: Route }): ComponentChildren {
  if (route.page === 'job') return <JobPage id={route.id} />
  if (route.page === 'request') return <RequestPage id={route.id} />
  if (route.page === 'delivery') return <OneRecord of={DELIVERY} id={route.id} />
  if (route.page === 'run') return <OneRecord of={RUN} id={route.id} />
  if (route.page === 'artifact') return <OneRecord of={ARTIFACT} id={route.id} />
  const [, , Content] = listingOf(route)
  return <Content />
}

/** The hash holds the route, so the browser cannot follow this link by itself. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('main')!.focus()
}
