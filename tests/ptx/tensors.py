# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of the DWARF in a PTX text of Mojo's what says which tensors a kernel has: as sections of PTX again."""
import re

SUBPROGRAM, STRUCTURE, VARIABLE, UNIT, ANNOTATION = 0x2E, 0x13, 0x34, 0x11, 0x6000
LANGUAGE, NAME, CONST_VALUE, FILE, LINE, TYPE, LOCATION, LINKAGE = 0x13, 0x03, 0x1C, 0x3A, 0x3B, 0x49, 0x02, 0x2007
ADDRESS, DATA1, DATA2, DATA4, STRING, REFERENCE, BLOCK1, FLAG, OFFSET, REF_ADDRESS = 1, 11, 5, 6, 8, 19, 10, 12, 23, 16
SIZES = {ADDRESS: 8, DATA1: 1, DATA2: 2, DATA4: 4, 7: 8, REFERENCE: 4, FLAG: 1, OFFSET: 4, REF_ADDRESS: 8}


def section(text, name):
    """The bytes of a section; what is an address is zero, but for offsets into the section itself."""
    body = re.search(r"\.section\s+" + re.escape(name) + r"\s*\{(.*?)\}", text, flags=re.S)
    content = bytearray()
    for bits, value in re.findall(r"\.b(8|16|32|64)\s+(\S+)", body.group(1)):
        own = value.split("+")[1] if value.startswith(name + "+") else value
        number = int(own) if re.fullmatch(r"-?\d+", own) else 0
        size = int(bits) // 8
        content += (number % (1 << 8 * size)).to_bytes(size, "little")
    return bytes(content)


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def leb(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def string(self):
        begin = self.at
        self.at = self.data.index(0, begin) + 1
        return self.data[begin : self.at - 1].decode()

    def value(self, form):
        if form == STRING:
            return self.string()
        if form == BLOCK1:
            return self.number(self.number(1))
        if form in (13, 15):  # numbers of any length
            return self.leb()
        return self.number(SIZES[form])


def abbreviations(data):
    reader, found = Reader(data), {}
    while code := reader.leb():
        tag, has_children = reader.leb(), reader.number(1)
        attributes = []
        while pair := (reader.leb(), reader.leb()):
            if pair == (0, 0):
                break
            attributes.append(pair)
        found[code] = (tag, has_children, attributes)
    return found


def entries(text):
    """(offset, depth, tag, attributes) of all of the first unit, which is the kernel's."""
    known = abbreviations(section(text, ".debug_abbrev"))
    reader, depth = Reader(section(text, ".debug_info"), 11), 0
    while reader.at < len(reader.data):
        offset, code = reader.at, reader.leb()
        if code == 0:
            depth -= 1
            if depth == 0:
                return
            continue
        tag, has_children, attributes = known[code]
        yield offset, depth, tag, {name: reader.value(form) for name, form in attributes}
        depth += has_children


def items(text):
    """What commas separate, those in brackets aside."""
    plain, depth, first, found = re.sub(r'"[^"]*"|->', lambda quoted: "_" * len(quoted.group()), text), 0, 0, []
    for at, letter in enumerate(plain):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            found.append(text[first:at])
            first = at + 1
    return found + [text[first:]]


def shortened(tensor):
    """A tensor's type without what says nothing of its element, layout and memory; what is no tensor stays."""
    name = re.match(r"[^\[]*::struct \w+Tensor\[", tensor)
    if not name:
        return tensor
    values = tensor.split("]<`:!lit.struct<")[-1].removesuffix("`>").split("`,`")
    values[0] = ":!lit.struct<" + values[0]
    values[3] = re.sub(r", :!lit\.struct<@[^ ]*TypeList.*", ">", re.sub(r"trait<[^<>]*>", "trait<>", values[3]))
    values[3] = re.sub(r"(ComptimeInt\"?<)[^{]*\{:dtype index\}[^{]*\{1\}>> ", r"\1", values[3])
    space = [each for each in values[4:] if re.match(r":!lit.struct<[^ ]*AddressSpace\"?> ", each)]
    return name.group() + "]<`" + "`,`".join(values[:4] + space) + "`>"


def shortened_function(signature):
    begin = signature.index("(")
    return signature[: begin + 1] + ",".join(map(shortened, items(signature[begin + 1 : -1]))) + ")"


def string(text):
    return list(text.encode()) + [0]


def bytes_of(number, size):
    return list(number.to_bytes(size, "little"))


def kernel_of(text):
    """How the kernel is called in the source."""
    return next(values[NAME] for _, depth, tag, values in entries(text) if depth == 1 and tag == SUBPROGRAM)


def sections(text, name):
    """Of the kernel, which is called name here, the subprogram, with the types of its parameters, and its variables of types that are structs."""
    names, kernel, variables, signature, is_kernels = {}, None, [], "", False
    for offset, depth, tag, values in entries(text):
        if tag == STRUCTURE:
            names[offset] = values.get(NAME, "")
        if depth == 1:
            is_kernels = tag == SUBPROGRAM and LINE in values and kernel in (None, values)
            kernel = values if is_kernels and kernel is None else kernel
        elif depth == 2 and is_kernels and tag == VARIABLE and LOCATION not in values:
            variables.append(values)
        elif depth == 2 and is_kernels and tag == ANNOTATION and values.get(NAME) == "mojo_source_name":
            signature = values[CONST_VALUE]
    variables = [each for each in variables if "ensor[" in names.get(each[TYPE], "")]
    used = sorted({each[TYPE] for each in variables})
    info = [1] + bytes_of(2, 2) + string("Mojo")
    places = {}
    for offset in used:
        places[offset] = len(info) + 11
        info += [2] + string(shortened(names[offset]))
    info += [3] + string(name) + string(kernel[NAME]) + [1] + bytes_of(kernel[LINE], 2)
    info += [4] + string("mojo_source_name") + string(shortened_function(signature))
    for each in variables:
        info += [5] + string(each[NAME]) + [1] + bytes_of(each[LINE], 2) + bytes_of(places[each[TYPE]], 4)
    info += [0, 0]
    head = bytes_of(len(info) + 7, 4) + bytes_of(2, 2)
    abbreviation = [1, UNIT, 1, LANGUAGE, DATA2, NAME, STRING, 0, 0, 2, STRUCTURE, 0, NAME, STRING, 0, 0]
    abbreviation += [3, SUBPROGRAM, 1, 0x87, 0x40, STRING, NAME, STRING, FILE, DATA1, LINE, DATA2, 0, 0]
    abbreviation += [4, 0x80, 0xC0, 1, 0, NAME, STRING, CONST_VALUE, STRING, 0, 0]
    abbreviation += [5, VARIABLE, 0, NAME, STRING, FILE, DATA1, LINE, DATA2, TYPE, REFERENCE, 0, 0, 0]
    return (
        f"\t.section .debug_abbrev\n\t{{\n{rows(abbreviation)}\t}}\n"
        f"\t.section .debug_info\n\t{{\n{rows(head)}.b32 .debug_abbrev\n{rows([8] + info)}\t}}\n"
    )


def rows(numbers):
    return "".join(
        ".b8 " + ",".join(map(str, numbers[at : at + 32])) + "\n" for at in range(0, len(numbers), 32)
    )
