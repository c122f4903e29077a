// Decoding of texture fetches and surface accesses.
#include "grader/virtual_gpu/ptx/decoder.h"
#include "grader/virtual_gpu/ptx/texture.h"

namespace vram::virtual_gpu::ptx {

namespace {

/// Which shape an instruction names: 1d, a2d and so on. False when it names none that is known.
bool read_geometry(const Mnemonic& mnemonic, TexturePlan& plan) {
    using Geometry = TexturePlan::Geometry;
    static const struct {
        const char* name;
        Geometry geometry;
        bool layered;
    } shapes[] = {
        {"1d", Geometry::line, false},   {"2d", Geometry::plane, false},
        {"3d", Geometry::volume, false}, {"a1d", Geometry::line, true},
        {"a2d", Geometry::plane, true},  {"cube", Geometry::cube, false},
        {"acube", Geometry::cube, true},
    };
    for (const auto& shape : shapes) {
        if (mnemonic.has(shape.name)) {
            plan.geometry = shape.geometry;
            plan.layered = shape.layered;
            return true;
        }
    }
    return false;
}

}  // namespace

bool FunctionDecoder::decode_texture(const Mnemonic& mnemonic, Instruction& instruction) {
    const std::string& base = mnemonic.base();
    if (base == "tex" || base == "tld4") {
        decode_texture_fetch(mnemonic, instruction);
    } else if (base == "suld" || base == "sust") {
        decode_surface(mnemonic, instruction);
    } else {
        return false;
    }
    return true;
}

void FunctionDecoder::decode_object_and_coordinates(const TexturePlan& plan,
                                                    Instruction& instruction) {
    reader_.expect("[");
    instruction.d = value(parse_operand(), Type::u64);
    comma();
    const ParsedOperand coordinates = parse_operand();
    reader_.expect("]");
    const std::vector<ParsedOperand> parts = coordinates.form == ParsedOperand::Form::vector
                                                 ? coordinates.elements
                                                 : std::vector<ParsedOperand>{coordinates};
    Operand* const places[4] = {&instruction.a, &instruction.b, &instruction.c, &instruction.e};
    const std::size_t axes = plan.geometry == TexturePlan::Geometry::line    ? 1
                             : plan.geometry == TexturePlan::Geometry::plane ? 2
                                                                             : 3;
    if (parts.size() > 4 || parts.size() < axes + (plan.layered ? 1 : 0)) {
        unsupported("another number of coordinates");
    }
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (parts[index].form != ParsedOperand::Form::discarded) {
            *places[index] = value(parts[index], Type::b32);
        }
    }
}

void FunctionDecoder::decode_texture_fetch(const Mnemonic& mnemonic, Instruction& instruction) {
    TexturePlan plan;
    const Type type = mnemonic.type(0), coordinate = mnemonic.type(1);
    // There is no mipmap here, so whatever level is asked for is the only one.
    if (!read_geometry(mnemonic, plan) || size_of(type) != 4 || is_packed_pair(type) ||
        (coordinate != Type::f32 && coordinate != Type::s32)) {
        unsupported();
    }
    plan.integer_coordinates = coordinate == Type::s32;
    if (mnemonic.base() == "tld4") {
        if (plan.geometry != TexturePlan::Geometry::plane || plan.integer_coordinates) {
            unsupported();
        }
        plan.gathered = mnemonic.has("r") ? 1 : mnemonic.has("g") ? 2 : mnemonic.has("b") ? 3 : 4;
    }
    const ParsedOperand d = parse_operand();
    const std::vector<ParsedOperand> parts =
        d.form == ParsedOperand::Form::vector ? d.elements : std::vector<ParsedOperand>{d};
    if (parts.empty() || parts.size() > 4) {
        unsupported("a vector of this length");
    }
    instruction.element_count = static_cast<std::uint8_t>(parts.size());
    for (std::size_t index = 0; index < parts.size(); ++index) {
        instruction.elements[index] = destination(parts[index], type);
    }
    if (reader_.peek() == "|") {
        unsupported("whether a texel is resident");
    }
    comma();
    decode_object_and_coordinates(plan, instruction);
    instruction.immediate = plan.packed();
    instruction.memory_slot = module_.memory_slots++;
    // A level, or gradients.
    for (int left = mnemonic.has("level") ? 1 : mnemonic.has("grad") ? 2 : 0; left > 0; --left) {
        comma();
        parse_operand();
    }
    if (reader_.peek() == ",") {
        unsupported("an offset or a depth to compare with");
    }
    emit(instruction, sample_texture);
}

void FunctionDecoder::decode_surface(const Mnemonic& mnemonic, Instruction& instruction) {
    TexturePlan plan;
    const Type type = mnemonic.type();
    if (!read_geometry(mnemonic, plan) || plan.geometry == TexturePlan::Geometry::cube ||
        !mnemonic.has("b") || size_of(type) == 0) {
        unsupported();
    }
    plan.out_of_range = mnemonic.has("clamp")  ? TexturePlan::OutOfRange::clamp
                        : mnemonic.has("zero") ? TexturePlan::OutOfRange::zero
                                               : TexturePlan::OutOfRange::trap;
    plan.element_bytes = static_cast<std::uint8_t>(size_of(type));
    const bool loads = mnemonic.base() == "suld";
    const auto elements = [&] {
        const ParsedOperand operand = parse_operand();
        const std::vector<ParsedOperand> parts = operand.form == ParsedOperand::Form::vector
                                                     ? operand.elements
                                                     : std::vector<ParsedOperand>{operand};
        if (parts.empty() || parts.size() > 4) {
            unsupported("a vector of this length");
        }
        instruction.element_count = static_cast<std::uint8_t>(parts.size());
        for (std::size_t index = 0; index < parts.size(); ++index) {
            instruction.elements[index] =
                loads ? destination(parts[index], type) : value(parts[index], type);
        }
    };
    instruction.width = static_cast<std::uint8_t>(register_width(type));
    instruction.memory_slot = module_.memory_slots++;
    if (loads) {
        elements();
        comma();
    }
    decode_object_and_coordinates(plan, instruction);
    if (!loads) {
        comma();
        elements();
    }
    instruction.immediate = plan.packed();
    emit(instruction, loads ? load_surface : store_surface);
}

}  // namespace vram::virtual_gpu::ptx
