import { openFromDisk } from '../../adapters/training-data-files.js'
import { EmulatorCore } from '../../emulator/emulator.js'
import { acceptDelivery, play as playScenario, targetsFor } from '../../play/player.js'
import { RealWork } from '../../play/real-work.js'
import { chooseScenario } from '../choose-scenario.js'
import { reportJson } from '../report/report-json.js'
import { reportText } from '../report/report-text.js'
import { Outgoing } from '../../webhooks/outgoing.js'
import type { Run } from '../context.js'

interface Arguments {
  scenario: string
  seed: number | undefined
  json: boolean | undefined
}

export const play: Run<Arguments> = async (args, { terminal: { write, paint } }) => {
  const { scenario } = await chooseScenario(args.scenario)
  const realWork = new RealWork()
  const core = new EmulatorCore({
    scenario,
    seed: args.seed,
    // In place of the clock of the scenario: the player moves the time.
    clock: { mode: 'manual' },
    webhooks: targetsFor(scenario),
    outgoing: new Outgoing({ send: acceptDelivery }),
    openTrainingData: realWork.watch(openFromDisk()),
  })
  const report = await playScenario(core, realWork)
  write(args.json ? reportJson(report) : reportText(report, paint))
  return 0
}
