import { chooseScenario } from '../choose-scenario.js'
import { printableLines } from '../printable.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'

export const scenariosShow: Run = async (called, { write }) => {
  const read = await readArguments(called, { flags: {}, takes: 'a name or a file' })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { scenario } = await chooseScenario(read.positionals[0]!)
  const [{ Scalar, stringify }, { withoutDefaults }] = await Promise.all([
    import('yaml'),
    import('./without-defaults.js'),
  ])
  // YAML has no functions; the text of one, under a tag that no file may use, is as near as it gets.
  const textOf = (_key: unknown, value: unknown): unknown =>
    typeof value === 'function'
      ? Object.assign(new Scalar(String(value)), { tag: '!function' })
      : value
  const text = stringify(withoutDefaults(scenario), textOf, { lineWidth: 100 })
  write(printableLines(text.trimEnd()))
  return 0
}
