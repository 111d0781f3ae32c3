import { render } from 'preact'
import { App } from './app.js'
import { Live } from './data/live.js'
import { LiveContext } from './data/use-live.js'
import { streamUrl } from './data/world.js'

const live = new Live(new EventSource(streamUrl()))
addEventListener('pagehide', () => live.close())
// The stream of a page that the browser restores from its cache is closed.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

render(
  <LiveContext.Provider value={live}>
    <App />
  </LiveContext.Provider>,
  document.querySelector('#app')!,
)
