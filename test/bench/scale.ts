/** Measures how costs grow with the size of the world. Each row is compared with the smallest. */
import { scaleOfEvents } from './scale-events.js'
import { scaleOfFolders } from './scale-folders.js'
import { scaleOfJobs } from './scale-jobs.js'
import type { Settings } from './settings.js'
import type { Table } from './table.js'

export async function scale(settings: Settings): Promise<Table[]> {
  return [
    await scaleOfEvents(settings),
    ...(await scaleOfJobs(settings)),
    await scaleOfFolders(settings),
  ]
}
