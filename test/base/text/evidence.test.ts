import { expect, it } from 'vitest'
import { knownFile, scenarioOf } from '../../../src/base/text/evidence.js'

it.each(['run.ndjson', '$& and $1.ndjson'])('names the file %s as it is', (file) => {
  const toDo = `Make a scenario of it: svtrain-emulator scenarios from ${file} --to incident.yaml`
  expect(scenarioOf(file)).toBe(toDo)
  expect(knownFile('{"type":"recording"}', file)?.toDo).toBe(toDo)
})
