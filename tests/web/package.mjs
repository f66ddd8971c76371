// The npm package in Node.
import { result } from './package_checks.mjs';

for (const line of result.lines) console.log(`package: ${line}`);
console.log(`package: ${result.passed} passed, ${result.failed} failed`);
process.exit(result.failed || !result.passed ? 1 : 0);
