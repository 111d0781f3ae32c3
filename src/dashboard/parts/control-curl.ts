import { hasControlToken } from '../data/control.js'
import { world } from '../data/world.js'
import { quoted } from './curl.js'

/** A control call to the world of the page as a command of a shell, with a variable in the place of the token. */
export function controlCurl(path: string, body: unknown): string {
  const lines = [
    `curl -X POST ${quoted(new URL(path, location.href).href)}`,
    ...(hasControlToken() ? ['-H "authorization: Bearer $SVTRAIN_CONTROL_TOKEN"'] : []),
    ...(world === undefined ? [] : [`-H ${quoted(`svtrain-world: ${world}`)}`]),
    `-d ${quoted(JSON.stringify(body))}`,
  ]
  return `${lines.join(' \\\n  ')}\n`
}
