/** A process that takes the lock of each folder that it reads from stdin, and prints whether it has it. */
import { createInterface } from 'node:readline'
import { lockFolder } from '../../../../src/emulator/adapters/folder-lock.js'

console.log('ready')
for await (const path of createInterface(process.stdin)) {
  try {
    lockFolder(path)
    console.log('has it')
  } catch (error) {
    console.log((error as { code?: string }).code)
  }
}
