import { printableJson } from '../terminal.js'
import type { Run } from '../command.js'
import type { doctor } from '../commands/doctor.js'
import { diagnose } from '../doctor/diagnose.js'
import { thisMachine } from '../doctor/machine.js'
import { doctorLines } from '../report/doctor-lines.js'

export const runCommand: Run<typeof doctor> = async ({ json }, context) => {
  const { terminal } = context
  const diagnoses = await diagnose(thisMachine(context))
  const isWell = diagnoses.every(({ problems }) => problems.length === 0)
  if (json) terminal.write(printableJson(diagnoses, 2))
  else doctorLines(diagnoses, terminal).forEach(terminal.write)
  return isWell ? 0 : 1
}
