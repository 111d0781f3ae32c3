import { openFromDisk } from '../../adapters/training-data-files.js'
import { EmulatorCore } from '../../emulator/emulator.js'
import { play as playScenario } from '../../play/player.js'
import { receive, receiversFor } from '../../play/receiver.js'
import { RealWork } from '../../play/real-work.js'
import { chooseScenario } from '../choose-scenario.js'
import { flags } from '../flags.js'
import { reportJson } from '../report/report-json.js'
import { reportText } from '../report/report-text.js'
import { Transport } from '../../webhooks/transport.js'
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
  const { scenario } = await chooseScenario(read.positionals[0]!)
  const realWork = new RealWork()
  const core = new EmulatorCore({
    scenario,
    seed: read.flags.seed,
    // Whatever the scenario says: nobody waits here for time to pass.
    clock: { mode: 'manual' },
    webhooks: receiversFor(scenario),
    outgoing: new Transport({ send: receive }),
    openTrainingData: realWork.watch(openFromDisk()),
  })
  const report = await playScenario(core, realWork)
  write(read.flags.json ? reportJson(report) : reportText(report, paint))
  return 0
}
