import type { ComponentChildren, FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ClockBar } from './parts/clock-bar.js'
import { call } from './data/control.js'
import { ARTIFACT } from './pages/artifact-page.js'
import { ARTIFACTS } from './pages/artifacts-page.js'
import { RUN } from './pages/run-page.js'
import { RUNS } from './pages/runs-page.js'
import { OneRecord } from './kit/detail.js'
import { Records, type Listing } from './kit/records.js'
import { RequestPage } from './pages/request-page.js'
import { TimelinePage } from './pages/timeline-page.js'
import { SCHEDULE } from './pages/schedule-page.js'
import { AUTOMATIONS } from './pages/automations-page.js'
import { SECRETS } from './pages/secrets-page.js'
import { MODELS } from './pages/models-page.js'
import { LineagePage } from './pages/lineage-page.js'
import { ChatPage } from './pages/chat-page.js'
import { FAULTS } from './pages/faults-page.js'
import { WEBHOOKS } from './pages/webhooks-page.js'
import { CurvesPage } from './pages/curves-page.js'
import { DELIVERIES } from './pages/deliveries-page.js'
import { DELIVERY } from './pages/delivery-page.js'
import { JobAnnouncements } from './pages/job-news.js'
import { JobPage } from './pages/job-page.js'
import { JOBS } from './pages/jobs-page.js'
import { MOST_JOBS, MOST_LISTED, type Live } from './data/live.js'
import { REQUESTS } from './pages/requests-page.js'
import {
  hrefOf,
  listedOf,
  TABS,
  useRoute,
  type ListedPage,
  type PageOfOne,
  type Route,
} from './routes.js'
import { ScenarioPage } from './pages/scenario-page.js'
import { SINK } from './pages/sink-page.js'
import { Problem } from './parts/use-action.js'
import { useLive, useLiveStore } from './data/use-live.js'
import { useLoaded } from './data/use-loaded.js'
import { world } from './data/world.js'
import { useScroll } from './parts/use-scroll.js'
import { Name } from './parts/facts.js'
import { jobTitle, shortId } from './parts/names.js'
import { WorldNotice, WorldSwitcher } from './parts/world-switcher.js'

interface Tab {
  name: string
  Content: FunctionComponent
}

const TAB_OF: Readonly<Record<ListedPage, Tab>> = {
  jobs: { name: 'Jobs', Content: listing(JOBS) },
  curves: { name: 'Curves', Content: CurvesPage },
  models: { name: 'Models', Content: listing(MODELS) },
  runs: { name: 'Runs', Content: listing(RUNS) },
  artifacts: { name: 'Artifacts', Content: listing(ARTIFACTS) },
  lineage: { name: 'Lineage', Content: LineagePage },
  chat: { name: 'Chat', Content: ChatPage },
  requests: { name: 'Requests', Content: listing(REQUESTS) },
  timeline: { name: 'Timeline', Content: TimelinePage },
  schedule: { name: 'What comes next', Content: listing(SCHEDULE) },
  webhooks: { name: 'Webhooks', Content: listing(WEBHOOKS) },
  deliveries: { name: 'Deliveries', Content: listing(DELIVERIES) },
  sink: { name: 'Sink', Content: listing(SINK) },
  automations: { name: 'Automations', Content: listing(AUTOMATIONS) },
  secrets: { name: 'Secrets', Content: listing(SECRETS) },
  faults: { name: 'Faults', Content: listing(FAULTS) },
  scenario: { name: 'Scenario', Content: ScenarioPage },
}

function listing<T extends object>(of: Listing<T>): FunctionComponent {
  return () => <Records of={of} />
}

/** The pages of one record. */
const PAGE_OF_ONE: Readonly<Record<PageOfOne, FunctionComponent<{ id: string }>>> = {
  job: JobPage,
  request: RequestPage,
  delivery: ({ id }) => <OneRecord of={DELIVERY} id={id} />,
  run: ({ id }) => <OneRecord of={RUN} id={id} />,
  artifact: ({ id }) => <OneRecord of={ARTIFACT} id={id} />,
}

/** The page of a route, and the other tabs of it. */
function tabsOf(route: Route): readonly ListedPage[] {
  const listed = listedOf(route)
  return TABS.find((tabs) => tabs.some((page) => page === listed))!
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
              <p class="cut">
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
  const shown = tabsOf(route)
  return (
    <nav id="pages" class={isOpen ? 'pages' : 'pages closed'} aria-label="Pages">
      {TABS.map((tabs) => (
        <PageLink key={tabs[0]} page={tabs[0]} isCurrent={tabs === shown} />
      ))}
    </nav>
  )
}

/** The tabs of the page, if it has several. */
function Tabs({ route }: { route: Route }): ComponentChildren {
  const tabs = tabsOf(route)
  if (tabs.length === 1) return null
  return (
    <nav class="tabs" aria-label={`Tabs of ${TAB_OF[tabs[0]!].name}`}>
      {tabs.map((page) => (
        <PageLink key={page} page={page} isCurrent={page === listedOf(route)} />
      ))}
    </nav>
  )
}

function PageLink({ page, isCurrent }: { page: ListedPage; isCurrent: boolean }) {
  return (
    <a href={hrefOf({ page })} aria-current={isCurrent ? 'page' : undefined}>
      {TAB_OF[page].name}
    </a>
  )
}

/** What the tab of the browser says. */
function titleOf(route: Route, { jobs }: Live): string {
  if (route.page === 'job') {
    const job = jobs.get(route.id)
    return job ? jobTitle(job) : `Job ${shortId(route.id)}`
  }
  if (!('id' in route)) return TAB_OF[route.page].name
  const { page, id } = route
  const name = page === 'delivery' ? shortId(id) : id.split('/').at(-1)
  return `${page.charAt(0).toUpperCase()}${page.slice(1)} ${name}`
}

/** The page below the header. */
function World({ route }: { route: Route }): ComponentChildren {
  const known = useLive((each) => each.info)
  const { error, older } = useWorld()
  const place = hrefOf(route)
  useTitle(route)
  useFocusOnNew(place)
  useScroll(place)
  if (!known) return error ? <Problem of={error} /> : <p class="empty">Loading…</p>
  return (
    <>
      <Problem of={error ?? older} />
      <WorldNotice />
      <Tabs route={route} />
      <Page key={place} route={route} />
    </>
  )
}

/** Loads the lists of the world, after the stream is open, so that they miss nothing. Returns why it failed. */
function useWorld(): { error: Error | undefined; older: Error | undefined } {
  const live = useLiveStore()
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
  const { error: older } = useLoaded(async () => {
    live.fill((await call('GET /requests', { query: { limit: MOST_LISTED } })).requests)
  })
  useEffect(() => {
    if (calm > 0) reload()
  }, [calm, reload])
  return { error, older }
}

function useTitle(route: Route): void {
  const title = useLive((each) => titleOf(route, each))
  useEffect(() => {
    const names = [title, ...(world === undefined ? [] : [world]), 'svtrain-emulator']
    document.title = names.join(' · ')
  }, [title])
}

/** Moves the focus to the heading of each page but the first one. */
function useFocusOnNew(place: string): void {
  const isFirst = useRef(true)
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1')
    if (!isFirst.current)
      (heading ?? document.querySelector('main'))?.focus({ preventScroll: true })
    isFirst.current = false
  }, [place])
}

function Page({ route }: { route: Route }): ComponentChildren {
  if ('id' in route) {
    const One = PAGE_OF_ONE[route.page]
    return <One id={route.id} />
  }
  const { Content } = TAB_OF[route.page]
  return <Content />
}

/** The hash holds the route, so the browser cannot follow this link by itself. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('main')!.focus()
}
