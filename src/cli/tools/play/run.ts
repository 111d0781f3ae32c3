import { openFromDisk } from '../../../emulator/adapters/training-data-files.js'
import { acceptDelivery, play as playScenario, receiversFor } from '../../../tools/play/player.js'
import { RealWork } from '../../../tools/play/real-work.js'
import { chooseScenario } from '../../choose-scenario.js'
import type { Run } from '../../command.js'
import type { play } from './command.js'
import { createEmulatorWith } from '../../create-emulator.js'
import { reportJson } from './report-json.js'
import { reportText } from './report-text.js'

export const runCommand: Run<typeof play> = async (args, { terminal }) => {
  const { scenario } = await chooseScenario(args.scenario)
  const realWork = new RealWork()
  const createEmulator = createEmulatorWith({
    openTrainingData: () => realWork.watch(openFromDisk()),
    // The player invents answers, also after a chat.
    checked: { ...scenario, checks: { unknown_answers: false, ...scenario.checks } },
  })
  const emulator = createEmulator({
    seed: args.seed,
    // In place of the clock of the scenario: the player moves the time.
    clock: 'manual',
    webhooks: receiversFor(scenario),
    send: acceptDelivery,
  })
  const report = await playScenario(emulator, realWork)
  terminal.write(args.json ? reportJson(report) : reportText(report, terminal))
  return 0
}
