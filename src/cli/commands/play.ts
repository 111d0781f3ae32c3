import { openFromDisk } from '../../adapters/training-data-files.js'
import { play as playScenario } from '../../play/player.js'
import { receive, receiversFor } from '../../play/receiver.js'
import { RealWork } from '../../play/real-work.js'
import { chooseScenario } from '../choose-scenario.js'
import { createEmulatorWith, lazyChecks } from '../create-emulator.js'
import { flags } from '../flags.js'
import { reportJson } from '../report/report-json.js'
import { reportText } from '../report/report-text.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { json } from './json-flag.js'

export const play: Run = async (called, { write, paint }) => {
  const read = await readArguments(called, {
    flags: { json, seed: flags.seed },
    takes: 'a name or a file',
  })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { scenario, files } = await chooseScenario(read.positionals[0]!)
  if (files.length > 0) await lazyChecks.load()
  const realWork = new RealWork()
  const createEmulator = createEmulatorWith({
    openTrainingData: () => realWork.watch(openFromDisk()),
  })
  const emulator = createEmulator({
    scenario: files.length > 0 ? scenario : scenario.name,
    seed: read.flags.seed,
    // Whatever the scenario says: nobody waits here for time to pass.
    clock: 'manual',
    webhooks: receiversFor(scenario),
    send: receive,
  })
  const report = await playScenario(emulator, realWork)
  write(read.flags.json ? reportJson(report) : reportText(report, paint))
  return 0
}
