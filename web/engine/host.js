// What the WebAssembly module needs of its host: a clock, and the way back from an error. An error in the library leaves all frames
// up to the call that catches it (src/base/entry.c); JavaScript's exceptions do that.

class Leave {
  constructor(trap) {
    this.trap = trap;
  }
}

/** Instantiates a compiled module and returns its exports. */
export async function instantiate(module) {
  let exports;
  const env = {
    seconds: () => performance.now() / 1000,
    trap_call: (trap, body, context) => {
      const stack = exports.__stack_pointer.value;
      try {
        exports.__indirect_function_table.get(Number(body))(context);
        return 1;
      } catch (error) {
        if (!(error instanceof Leave) || error.trap !== trap) throw error;
        exports.__stack_pointer.value = stack;
        return 0;
      }
    },
    trap_leave: trap => {
      throw new Leave(trap);
    },
  };
  const instance = await WebAssembly.instantiate(module, { env });
  exports = instance.exports;
  exports.__wasm_call_ctors();
  return exports;
}
