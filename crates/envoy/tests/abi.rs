//! The bindings against the facts of Envoy's header.
//!
//! `abi_facts.txt` lists the functions with their types. Where `FILCH_ENVOY_HEADER` names a copy of
//! the header, a C compiler also compares that list, the sizes and the numbers with it.

use std::fmt::Write;
use std::mem::{align_of, offset_of, size_of};
use std::process::Command;

use filch_envoy::abi::callbacks::{PREFIX, SIGNATURES};
use filch_envoy::abi::constants::{
    attribute, filter_status, header_type, host_health, host_stat, log_level,
};
use filch_envoy::abi::types::{Enum, EnvoyBuffer, EnvoyHeader, ModuleBuffer, ModuleHeader};

fn facts() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("abi_facts.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split_once(' ').expect("a name and a type"))
        .collect()
}

/// Without white space, which `stringify!` may put anywhere.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn functions_have_the_types_of_the_header() {
    let facts = facts();
    assert_eq!(SIGNATURES.len(), facts.len());
    for ((name, ours), (listed, theirs)) in SIGNATURES.iter().zip(facts) {
        assert_eq!(*name, listed);
        assert_eq!(dense(ours), dense(theirs), "{name}");
    }
}

#[test]
fn structures_have_the_layout_of_c() {
    let word = size_of::<usize>();
    assert_eq!(size_of::<EnvoyBuffer>(), 2 * word);
    assert_eq!(offset_of!(EnvoyBuffer, ptr), 0);
    assert_eq!(offset_of!(EnvoyBuffer, length), word);
    assert_eq!(size_of::<ModuleBuffer>(), 2 * word);
    assert_eq!(offset_of!(ModuleBuffer, ptr), 0);
    assert_eq!(offset_of!(ModuleBuffer, length), word);
    assert_eq!(size_of::<EnvoyHeader>(), 4 * word);
    assert_eq!(offset_of!(EnvoyHeader, value), 2 * word);
    assert_eq!(size_of::<ModuleHeader>(), 4 * word);
    assert_eq!(offset_of!(ModuleHeader, value_ptr), 2 * word);
    assert_eq!(align_of::<EnvoyBuffer>(), word);
    assert_eq!(size_of::<Enum>(), 4);
}

/// The numbers of the header, with the ends of their names there.
const NUMBERS: [(&str, Enum); 14] = [
    ("log_level_Warn", log_level::WARN),
    ("log_level_Error", log_level::ERROR),
    ("http_header_type_RequestHeader", header_type::REQUEST),
    ("http_header_type_ResponseHeader", header_type::RESPONSE),
    (
        "on_http_filter_request_headers_status_Continue",
        filter_status::CONTINUE,
    ),
    (
        "on_http_filter_response_headers_status_Continue",
        filter_status::CONTINUE,
    ),
    (
        "on_http_filter_response_body_status_Continue",
        filter_status::CONTINUE,
    ),
    (
        "on_http_filter_response_trailers_status_Continue",
        filter_status::CONTINUE,
    ),
    (
        "on_http_filter_request_headers_status_StopIteration",
        filter_status::STOP_ITERATION,
    ),
    (
        "on_http_filter_request_headers_status_StopAllIterationAndWatermark",
        filter_status::STOP_ALL_AND_WATERMARK,
    ),
    ("host_stat_RqTotal", host_stat::RQ_TOTAL),
    ("host_stat_RqActive", host_stat::RQ_ACTIVE),
    ("host_health_Healthy", host_health::HEALTHY),
    ("attribute_id_UpstreamAddress", attribute::UPSTREAM_ADDRESS),
];

/// A C program that compiles only if the header agrees with the facts.
#[test]
#[allow(clippy::print_stdout)]
fn the_header_itself_agrees() {
    let Ok(header) = std::env::var("FILCH_ENVOY_HEADER") else {
        println!("not compared: FILCH_ENVOY_HEADER names no copy of abi.h");
        return;
    };
    let mut program = format!("#include \"{header}\"\n");
    for (name, kind) in facts() {
        let (arguments, result) = kind.split_once(')').expect("fn(…)");
        let arguments = arguments.trim_start_matches("fn(").split(", ").map(in_c);
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let result = in_c(result.trim_start_matches(" -> "));
        // An enumeration or a typed pointer in the header is as good as what we pass for it, so
        // the sizes of results and the numbers of arguments are compared by assigning.
        writeln!(
            program,
            "static {result} (*use_{name})({arguments}) __attribute__((unused)) = \
             ({result} (*)({arguments})) {PREFIX}{name};\n\
             _Static_assert(__builtin_types_compatible_p(__typeof__(&{PREFIX}{name}), \
             __typeof__(use_{name})), \"{name}\");"
        )
        .unwrap();
    }
    for (name, number) in NUMBERS {
        let full = format!("envoy_dynamic_module_type_{name}");
        writeln!(program, "_Static_assert({full} == {number}, \"{name}\");").unwrap();
    }
    for (name, size) in [
        ("envoy_buffer", size_of::<EnvoyBuffer>()),
        ("module_buffer", size_of::<ModuleBuffer>()),
        ("envoy_http_header", size_of::<EnvoyHeader>()),
        ("module_http_header", size_of::<ModuleHeader>()),
        ("log_level", size_of::<Enum>()),
    ] {
        let full = format!("envoy_dynamic_module_type_{name}");
        writeln!(
            program,
            "_Static_assert(sizeof({full}) == {size}, \"{name}\");"
        )
        .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("facts.c");
    std::fs::write(&source, program).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let output = Command::new(compiler)
        .args(["-std=gnu11", "-fsyntax-only"])
        .arg(&source)
        .output();
    let output = output.expect("a C compiler");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// One of our types in C, as compatible with what the header has.
fn in_c(kind: &str) -> String {
    let stars = kind.matches("*mut ").count();
    let base = match kind.trim_start_matches("*mut ") {
        "EnvoyPtr" => "void*",
        "ModulePtr" => "const void*",
        "EnvoyBuffer" => "envoy_dynamic_module_type_envoy_buffer",
        "ModuleBuffer" => "envoy_dynamic_module_type_module_buffer",
        "EnvoyHeader" => "envoy_dynamic_module_type_envoy_http_header",
        "ModuleHeader" => "envoy_dynamic_module_type_module_http_header",
        "Enum" => "unsigned int",
        "usize" => "size_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "bool" => "bool",
        "" => "void",
        other => panic!("{other}"),
    };
    format!("{base}{}", "*".repeat(stars))
}
