/** Measures how costs grow with the size of the world. Each row is compared with the smallest. */
import type { Answers } from './answers.js'
import { scaleOfClients } from './scale-clients.js'
import { scaleOfEvents } from './scale-events.js'
import { scaleOfFolders } from './scale-folders.js'
import { scaleOfJobs } from './scale-jobs.js'
import { scaleOfWorlds } from './scale-worlds.js'
import type { Settings } from './settings.js'
import type { Table } from './table.js'

export async function scale(answers: Answers, settings: Settings): Promise<Table[]> {
  return [
    await scaleOfEvents(settings),
    ...(await scaleOfJobs(settings)),
    await scaleOfWorlds(settings),
    await scaleOfFolders(settings),
    await scaleOfClients(answers, settings),
  ]
}
