import { entry, type Entry, type Group } from '../command.js'
import { checkData } from './check-data.js'
import { checkReceiver } from './check-receiver.js'
import { completion } from './completion.js'
import { docs } from './docs.js'
import { doctor } from './doctor.js'
import { exec } from './exec.js'
import { explore } from '../tools/explore/command.js'
import { mcp } from '../tools/mcp/command.js'
import { play } from '../tools/play/command.js'
import { record } from '../tools/recording/record.js'
import { report } from '../tools/report/command.js'
import { scenariosCheck } from './scenarios-check.js'
import { scenariosFrom } from '../tools/recording/scenarios-from.js'
import { scenariosList } from './scenarios-list.js'
import { scenariosNew } from './scenarios-new.js'
import { scenariosSchema } from './scenarios-schema.js'
import { scenariosShow } from './scenarios-show.js'
import { sink } from './sink.js'
import { sinkReplay } from './sink-replay.js'
import { sinkSign } from './sink-sign.js'
import { sinkVerify } from './sink-verify.js'
import { snapshotExport } from './snapshot-export.js'
import { snapshotImport } from './snapshot-import.js'
import { snapshotShow } from './snapshot-show.js'
import { trace } from './trace.js'
import { trigger } from './trigger.js'

const scenarios: Entry = {
  name: 'scenarios',
  describe: 'List, show, check and write scenarios',
  commands: [
    entry(scenariosList, () => import('../run/scenarios-list.js')),
    entry(scenariosShow, () => import('../run/scenarios-show.js')),
    entry(scenariosCheck, () => import('../run/scenarios-check.js')),
    entry(scenariosNew, () => import('../run/scenarios-new.js')),
    entry(scenariosFrom, () => import('../tools/recording/run-scenarios-from.js')),
    entry(scenariosSchema, () => import('../run/scenarios-schema.js')),
  ],
}

const snapshot: Entry = {
  name: 'snapshot',
  describe: 'Export, import and show snapshots',
  commands: [
    entry(snapshotExport, () => import('../run/snapshot-export.js')),
    entry(snapshotImport, () => import('../run/snapshot-import.js')),
    entry(snapshotShow, () => import('../run/snapshot-show.js')),
  ],
}

/** All commands, in the order of the help. */
export const commandGroups: readonly Group[] = [
  {
    title: 'Run',
    daily: [
      entry(exec, () => import('../run/exec.js')),
      entry(sink, () => import('../run/sink.js'), [
        entry(sinkReplay, () => import('../run/sink-replay.js')),
        entry(sinkSign, () => import('../run/sink-sign.js')),
        entry(sinkVerify, () => import('../run/sink-verify.js')),
      ]),
    ],
    more: [
      entry(play, () => import('../tools/play/run.js')),
      entry(mcp, () => import('../tools/mcp/run.js')),
    ],
  },
  {
    title: 'Test',
    daily: [entry(explore, () => import('../tools/explore/run.js'))],
    more: [
      entry(checkReceiver, () => import('../run/check-receiver.js')),
      entry(trigger, () => import('../run/trigger.js')),
    ],
  },
  {
    title: 'Look',
    daily: [scenarios],
    more: [
      entry(trace, () => import('../run/trace.js')),
      entry(docs, () => import('../run/docs.js')),
      entry(completion, () => import('../run/completion.js')),
    ],
  },
  {
    title: 'Share',
    daily: [],
    more: [
      entry(report, () => import('../tools/report/run.js')),
      entry(record, () => import('../tools/recording/run-record.js')),
      snapshot,
    ],
  },
  {
    title: 'Check',
    daily: [entry(doctor, () => import('../run/doctor.js'))],
    more: [entry(checkData, () => import('../run/check-data.js'))],
  },
]
